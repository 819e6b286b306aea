"""`python -m benchmarks [service] [recall] [knowledge] [listing] [imports] [plans]`: the first three
when none is named."""

from __future__ import annotations

import importlib
import os
import sys

NAMES = ("service", "recall", "knowledge")
ON_REQUEST = ("listing", "imports", "plans")


def main(wanted: list[str]) -> int:
    known = NAMES + ON_REQUEST
    unknown = set(wanted) - set(known)
    if unknown:
        print(f"There is no benchmark {', '.join(sorted(unknown))}; choose of {', '.join(known)}.")
        return 2
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_app.config.settings.test")
    os.environ["EMBEDDING_BACKEND"] = "onnx"
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    import django

    django.setup()
    for name in wanted or NAMES:
        importlib.import_module(f"benchmarks.{name}").run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
