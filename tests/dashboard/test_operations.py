"""Every action that a service writes into the ledger has words for people."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from lucide.templatetags.lucide import lucide

import memory_app
from dashboard.presenters.operations import known_operations, words_of

SOURCE = Path(memory_app.__file__).parent / "services"


def test_every_operation_of_a_service_has_words() -> None:
    named = {operation for operation, _ in known_operations()}

    written = set(_written())

    assert {"create", "decide", "run_import", "purge"} <= written
    assert written - named == set()


def test_every_operation_has_a_drawing() -> None:
    for operation, _ in known_operations():
        assert "<svg" in lucide(words_of(operation).icon)


def test_an_unknown_operation_shows_its_name() -> None:
    assert words_of("teach_latin").did == "teach latin"


def _written() -> Iterator[str]:
    """What is handed to `book.append`, and every `operation=` that reaches it."""
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text())
        constants = _constants(tree)
        for node in ast.walk(tree):
            for value in _operations(node):
                yield from _texts(value, constants)


def _operations(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call):
        appends = isinstance(node.func, ast.Attribute) and node.func.attr == "append"
        if appends and len(node.args) > 1:
            yield node.args[0]
        yield from (each.value for each in node.keywords if each.arg == "operation")
    if isinstance(node, ast.FunctionDef):
        pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        yield from (default for one, default in pairs if one.arg == "operation" and default)


def _constants(tree: ast.Module) -> dict[str, str]:
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            names, values = _flat(node.targets[0]), _flat(node.value)
            found |= {
                name.id: value.value
                for name, value in zip(names, values, strict=False)
                if isinstance(name, ast.Name)
                and isinstance(value, ast.Constant)
                and isinstance(value.value, str)
            }
    return found


def _flat(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]


def _texts(value: ast.expr, constants: dict[str, str]) -> Iterator[str]:
    """The branches of a choice, a name's constant, or the text itself; what else decides is left out."""
    if isinstance(value, ast.Constant):
        yield str(value.value)
    elif isinstance(value, ast.Name) and value.id in constants:
        yield constants[value.id]
    elif isinstance(value, ast.IfExp):
        yield from _texts(value.body, constants)
        yield from _texts(value.orelse, constants)
