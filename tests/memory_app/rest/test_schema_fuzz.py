"""Generated requests, well-formed and not, against every operation of the schema."""

from __future__ import annotations

import os
from typing import Any

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from accounts.services.api_keys import issue_key
from tests.factories import make_world
from tests.memory_app.rest.client import rest_of
from tests.memory_app.rest.routes import document

CASES = int(os.environ.get("FUZZ_CASES", "50"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
MOST_ITEMS = 3


@schemathesis.serializer("application/jsonl")
def _lines(_: Any, value: Any) -> bytes:
    """An export as the fuzzer makes one up: whatever bytes or text it generated."""
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")


def _small(part: Any) -> Any:
    """The schema with short lists in what is sent: the number of items is what generation costs most."""
    if isinstance(part, list):
        return [_small(item) for item in part]
    if not isinstance(part, dict):
        return part
    found = {name: _small(value) for name, value in part.items()}
    return found | {"maxItems": MOST_ITEMS} if "maxItems" in found else found


SCHEMA = schemathesis.openapi.from_dict(_small(document()))
SCHEMA.app = get_wsgi_application()
OPERATIONS = [result.ok() for result in SCHEMA.get_all_operations()]


@pytest.fixture(scope="module")
def place(database: None) -> dict[str, str]:
    """What path parameters are steered to, so that most requests reach the service behind."""
    world = make_world(tier="full")
    memory = rest_of(world).save("A fuzzer asks about everything.")
    return {
        "secret": issue_key(world.person, agent=world.agent.id, requests_per_minute=10**6).secret,
        "bank": "main",
        "memory": memory["id"],
        "agent": world.agent.slug,
        "connection": world.connection.id,
    }


@pytest.mark.fuzz
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_no_request_makes_the_server_fail(
    operation: Any, place: dict[str, str], settings: Any
) -> None:
    """Issue section 5: answers keep to the schema, refusals are problem documents, none is a 500."""
    settings.DAILY_OPERATION_CAP = 10**6

    check = _check(operation, place)

    check()


def _check(operation: Any, place: dict[str, str]) -> Any:
    modes = st.sampled_from(list(GenerationMode))

    @settings(
        max_examples=CASES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=modes.flatmap(operation.as_strategy), steer=st.sampled_from([True, True, False]))
    def check(case: Any, steer: bool) -> None:
        known = {
            name: place[name] for name in case.path_parameters or {} if name in place and steer
        }
        case.path_parameters = dict(case.path_parameters or {}) | known
        headers = {"Authorization": f"Bearer {place['secret']}"}
        case.call_and_validate(headers=headers, checks=CHECKS)

    return check
