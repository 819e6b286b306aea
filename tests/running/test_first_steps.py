"""What a newcomer's first commands say before anything is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from memory_app.config.embedded.services import PROJECT


def test_a_first_start_names_each_step_and_a_second_one_is_quiet(tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\nexit 0\n")
    python.chmod(0o755)

    first, second = _serve(tmp_path), _serve(tmp_path)

    steps = [line.partition(" (")[0] for line in first.stderr.splitlines()]
    assert steps == [
        "Installing packages",
        "Installing the model's weights",
        "Everything is installed.",
    ]
    assert "requirements-core.txt" in first.stderr
    assert (first.returncode, second.returncode) == (0, 0)
    assert second.stderr == ""


def test_a_python_without_the_packages_is_told_which_one_has_them() -> None:
    command = [sys.executable, "-S", str(PROJECT / "manage.py"), "status"]

    said = subprocess.run(command, capture_output=True, text=True, env={}, check=False)

    assert said.returncode == 1
    assert "run .venv/bin/python manage.py" in said.stderr
    assert "Traceback" not in said.stderr


def _serve(venv: Path) -> subprocess.CompletedProcess[str]:
    """`bin/serve` with a Python that does nothing in the place of the real one."""
    return subprocess.run(
        ["/bin/sh", str(PROJECT / "bin" / "serve")],
        env=os.environ | {"COMMONPLACE_VENV": str(venv)},
        capture_output=True,
        text=True,
        check=False,
    )
