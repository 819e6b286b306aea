"""The checkers that a change must pass, each as a test, so that one command tells all."""

import os
import subprocess
import sys

import pytest

from memory_app.config.embedded.services import PROJECT

LAW = "from importlinter.cli import lint_imports_command; lint_imports_command()"
MANAGE = ("manage.py",)
CHECKS = {
    "ruff finds nothing": ("-m", "ruff", "check", "."),
    "ruff would format nothing": ("-m", "ruff", "format", "--check", "."),
    "mypy is content": ("-m", "mypy"),
    "the import law holds": ("-c", LAW),
    "djLint finds nothing": ("-m", "djlint", "templates", "--lint", "--quiet"),
    "no migration is missing": (*MANAGE, "makemigrations", "--check", "--dry-run"),
    "Django's checks are content": (*MANAGE, "check", "--fail-level", "WARNING"),
}


@pytest.mark.parametrize("command", CHECKS.values(), ids=CHECKS.keys())
def test_check_passes(command: tuple[str, ...]) -> None:
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("DATABASE", "DJANGO"))}

    done = subprocess.run(
        [sys.executable, *command], cwd=PROJECT, env=ours, capture_output=True, text=True
    )

    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
