#!/usr/bin/env python3
"""Django's command line for Commonplace; `--data-dir` works with every command."""

import sys

from memory_app.config.embedded.attach import run

if __name__ == "__main__":
    sys.exit(run(sys.argv))
