#!/usr/bin/env python3
"""Django's command line for Commonplace; `--data-dir` works with every command."""

import importlib.util
import sys

MISSING = [name for name in ("psycopg", "django") if importlib.util.find_spec(name) is None]

if __name__ == "__main__":
    if MISSING:
        sys.exit(
            f"This Python lacks {' and '.join(MISSING)}: run .venv/bin/python manage.py instead; "
            "bin/serve makes .venv, or install requirements-core.txt into one of your own."
        )
    from memory_app.config.embedded.attach import run

    sys.exit(run(sys.argv))
