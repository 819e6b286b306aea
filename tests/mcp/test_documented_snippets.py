"""The programs in docs/clients.md, run as they stand there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.factories import World
from tests.mcp.client import mcp_key
from tests.node import node

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "clients.md"


def snippet(language: str, world: World, live_url: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    code = found[1].replace("http://127.0.0.1:8000", live_url)
    return code.replace("cpl_YOUR_KEY", mcp_key(world))


@pytest.mark.slow
def test_the_python_program_runs(world: World, live_url: str) -> None:
    code = snippet("python", world, live_url)

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert ran.stdout == "Releases go out on Tuesdays.\n", ran.stderr


@pytest.mark.slow
def test_the_typescript_program_runs(world: World, live_url: str) -> None:
    code = snippet("js", world, live_url)

    ran = subprocess.run(
        [node(), "--input-type=module", "-e", code], capture_output=True, text=True, cwd=FOLDER
    )

    assert ran.stdout == "Releases go out on Tuesdays.\n", ran.stderr
