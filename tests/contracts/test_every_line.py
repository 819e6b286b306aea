"""Every line of the contracts that are built has a test that says so in its docstring."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
LINES = {"E": 10, "A": 19, "C": 7, "D": 11, "F": 6}
_ID = re.compile(r"\b[A-F]\d{1,2}\b")


def docstrings() -> Iterator[str]:
    """Of the test modules and of their functions."""
    for path in TESTS.rglob("test_*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)):
                yield ast.get_docstring(node) or ""


@pytest.mark.parametrize("contract", LINES)
def test_each_line_is_named_by_a_test(contract: str) -> None:
    wanted = {f"{contract}{number}" for number in range(1, LINES[contract] + 1)}

    named = {found for text in docstrings() for found in _ID.findall(text)}

    assert sorted(wanted - named) == []
