"""Django's `exclude` across a to-many relation of a composite key compares only the key's first column.

`Memory.objects.exclude(assertions__confidence="")` then leaves out every memory of a bank in which
one assertion matches. Such a condition is written with `filter`, or as an `Exists`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from django.apps import apps

from memory_app.config.embedded.services import PROJECT

SOURCES = ("accounts", "memory_app", "dashboard", "benchmarks")


def test_nothing_is_excluded_across_a_to_many_relation_of_a_composite_key() -> None:
    relations = set(composite_relations())

    found = [f"{place}: {name}" for place, name in exclusions() if name.split("__")[0] in relations]

    assert {"assertions", "mentions", "cells", "versions"} <= relations
    assert found == []


def composite_relations() -> Iterator[str]:
    """Names under which a row's many others are reached by a key of several columns."""
    for model in apps.get_models():
        for relation in model._meta.related_objects:
            columns = getattr(relation.field, "from_fields", ())
            if relation.one_to_many and len(columns) > 1:
                yield str(relation.name)


def exclusions() -> Iterator[tuple[str, str]]:
    """Every field named inside `exclude(...)` or behind `~`, with its place."""
    for source in SOURCES:
        for path in sorted((PROJECT / source).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if excludes(node):
                    for part in ast.walk(node):
                        if isinstance(part, ast.keyword) and part.arg:
                            yield f"{path.relative_to(PROJECT)}:{part.value.lineno}", part.arg


def excludes(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Invert)
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "exclude"
    )
