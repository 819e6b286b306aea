from __future__ import annotations

import json

import pytest
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer

from memory_app.config.settings.base import BASE_DIR
from tests.memory_app.rest.client import Rest
from tests.memory_app.rest.routes import document, routes

NOTATIONS = ("application/yaml", "application/json")


def test_committed_schema_is_what_the_code_describes() -> None:
    """Issue section 5; `make schema` writes the file."""
    committed = (BASE_DIR / "docs" / "openapi.yaml").read_bytes()

    generated = OpenApiYamlRenderer().render(document(), renderer_context={})

    assert committed.rstrip() == generated.rstrip()


def test_every_operation_has_a_name_and_refuses_with_a_problem() -> None:
    operations = [
        operation for methods in document()["paths"].values() for operation in methods.values()
    ]

    assert len({route.name for route in routes()}) == len(operations)
    assert all(
        "application/problem+json" in operation["responses"]["4XX"]["content"]
        for operation in operations
    )


def test_schema_and_its_page_are_open_to_everybody() -> None:
    anybody = Rest(None)

    schema = anybody.get("/api/v1/schema/")
    page = anybody.get("/api/v1/docs/")

    assert schema.status_code == 200
    assert b"operationId: create_memories" in schema.content
    assert page.status_code == 200


def test_page_loads_nothing_from_elsewhere_and_holds_no_inline_script() -> None:
    page = Rest(None).get("/api/v1/docs/").content.decode()

    assert "://" not in page
    assert page.count("<script") == page.count("<script src=")
    assert "<style" not in page


def test_root_names_the_resources() -> None:
    root = Rest(None).get("/api/v1/").json()

    assert root["banks"] == "http://testserver/api/v1/banks"
    assert Rest(None).get("/api/v1").json() == root


def test_the_description_is_written_once_in_each_notation(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes seconds, and anybody may ask for it."""
    anybody = Rest(None)
    first = [anybody.get("/api/v1/schema/", Accept=kind).content for kind in NOTATIONS]
    monkeypatch.setattr(SchemaGenerator, "get_schema", None)

    assert [anybody.get("/api/v1/schema/", Accept=kind).content for kind in NOTATIONS] == first
    assert json.loads(first[1])["paths"].keys() == document()["paths"].keys()
