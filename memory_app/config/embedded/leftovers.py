"""Ending what a killed supervisor left running, where the kernel doesn't do it (macOS)."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress

from memory_app.config.embedded.paths import DataFolder

KERNEL_ENDS_THEM = sys.platform.startswith("linux")
OURS = ("memory_app.config", "valkey-server")


def end(folder: DataFolder) -> None:
    """Kill web, worker and broker of a crashed copy; PostgreSQL ends by itself or is waited for."""
    if KERNEL_ENDS_THEM or not folder.runtime.exists():
        return
    with suppress(json.JSONDecodeError):
        for pid in json.loads(folder.runtime.read_text()).get("children", []):
            shown = subprocess.run(
                ["ps", "-o", "command=", "-p", str(pid)],  # noqa: S607
                capture_output=True,
                text=True,
                check=False,
            )
            if any(word in shown.stdout for word in OURS):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
    _end_postgres(folder)


def _end_postgres(folder: DataFolder) -> None:
    with suppress(FileNotFoundError, ValueError, ProcessLookupError):
        pid = int((folder.postgres / "postmaster.pid").read_text().split("\n", 1)[0])
        shown = subprocess.run(
            ["ps", "-o", "command=", "-p", str(pid)],  # noqa: S607
            capture_output=True,
            text=True,
            check=False,
        )
        if str(folder.postgres) in shown.stdout:
            os.kill(pid, signal.SIGINT)
