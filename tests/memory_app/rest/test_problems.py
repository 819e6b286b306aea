from __future__ import annotations

from typing import Any

import httpx
import pytest
from django.db import OperationalError

from memory_app.domain.ids import new_id
from tests.memory_app.rest.client import Rest

MEMBERS = {"type", "title", "status", "detail", "code", "hint", "request_id"}


def problem(answer: Any) -> dict[str, Any]:
    """The body of a refusal, which must be a whole problem document."""
    assert answer["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert body.keys() >= MEMBERS
    assert body["status"] == answer.status_code
    assert body["request_id"] == answer["X-Request-Id"]
    return body


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "content"),
        ({"content": None}, "content"),
        ({"content": True}, "content"),
        ({"content": 7}, "content"),
        ({"content": ["x"]}, "content"),
        ({"content": "  \n "}, "content"),
        ({"content": "a\x00b"}, "content"),
        ({"content": "x", "tags": [1, True]}, "tags"),
        ({"content": "x", "tags": [None]}, "tags"),
        ({"content": "x", "tags": [f"t{number}" for number in range(21)]}, "tags"),
        ({"content": "x", "tags": ["t" * 300]}, "tags"),
        ({"content": "x", "title": 123}, "title"),
        ({"content": "x", "source": False}, "source"),
        ({"content": "x", "props": "text"}, "props"),
        ({"content": "x", "colour": "red"}, "colour"),
        ({"memories": []}, "memories"),
        ({"memories": "x"}, "memories"),
        ({"memories": [{"content": "x"}] * 501}, "memories"),
        ({"memories": ["x"]}, "memories[0]"),
        ({"memories": [{"content": "x"}, {"content": 5}]}, "memories[1].content"),
        ({"memories": [{"contents": "x"}]}, "memories[0].contents"),
    ],
)
def test_refused_save_names_the_field_and_stores_nothing(
    rest: Rest, body: dict[str, Any], field: str
) -> None:
    """Cases 042, 050, 116: nothing is coerced, nothing is stored."""
    found = problem(rest.post("memories", body))

    assert found["status"] == 400
    assert found["field"] == field
    assert found["hint"]
    assert rest.get("memories").json() == {"memories": []}


def test_over_long_content_says_the_limit(rest: Rest) -> None:
    """E1."""
    found = problem(rest.post("memories", {"content": "x" * 10_001}))

    assert found["code"] == "content_too_long"
    assert found["limit"] == 10_000
    assert "10,000" in found["detail"]


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=-1",
        "limit=51",
        "limit=1000000000",
        "limit=ten",
        "limit=1.5",
        "limit=",
        "limit=1&limit=2",
        "min_score=-1",
        "min_score=1.5",
        "min_score=abc",
        "min_score=NaN",
        "depth=4",
        "maxDepth=3",
        "created_from=2030-01-01&created_to=2020-01-01",
        "created_from=yesterday",
        "pinned=perhaps",
        "q=%00",
        "tags=%00",
        "%00=1",
    ],
)
def test_wrong_search_arguments_are_refused_by_name(rest: Rest, query: str) -> None:
    """Cases 030, 066, 106, 158: never an answer to another question."""
    found = problem(rest.get(f"search?{query}"))

    assert found["status"] == 400
    assert found["code"] == "invalid_argument"
    assert found["field"]


def test_limit_out_of_range_is_refused_with_the_range(rest: Rest) -> None:
    """Case 158."""
    found = problem(rest.get("search?q=x&limit=51"))

    assert (found["field"], found["least"], found["most"]) == ("limit", 1, 50)


def test_near_miss_of_a_name_is_told_the_right_one(rest: Rest) -> None:
    found = problem(rest.post("memories", {"content": "x", "tag": ["a"]}))

    assert "tags" in found["hint"]


@pytest.mark.parametrize(
    "path",
    [
        "memories/%00",
        "memories/a%00b",
        "memories?cursor=%00",
        "/api/v1/banks/%00/memories",
        "/api/v1/agents/%00",
        "memories?text=%00",
    ],
)
def test_nul_in_an_address_is_refused(rest: Rest, path: str) -> None:
    """Case 030."""
    assert problem(rest.get(path))["status"] == 400


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("{", "JSON"),
        ("[1, 2]", "object"),
        ('"text"', "object"),
        ("null", "object"),
        ('{"content": NaN}', "NaN"),
        ('{"content": Infinity}', "Infinity"),
        (b'{"content": "\xff"}', "UTF-8"),
        ("[" * 100_000, "nested"),
    ],
)
def test_unreadable_body_is_a_problem(rest: Rest, body: str | bytes, detail: str) -> None:
    found = problem(rest.post("memories", body))

    assert found["status"] == 400
    assert detail in found["detail"]


def test_half_a_surrogate_pair_is_refused_wherever_it_stands(rest: Rest) -> None:
    bodies = [
        '{"content": "\\ud800"}',
        '{"content": "x", "tags": ["\\udc00"]}',
        '{"\\ud800": 1}',
        '{"content": "x", "props": {"\\ud800": 1}}',
    ]

    found = [problem(rest.post("memories", body)) for body in bodies]

    assert [one["status"] for one in found] == [400] * 4


def test_half_a_surrogate_pair_in_a_choice_is_refused(rest: Rest) -> None:
    assert problem(rest.post("recall", '{"mode": "\\ud800"}'))["field"] == "mode"


@pytest.mark.parametrize(
    "kind", ["text/plain", "multipart/form-data; boundary=x", "application/xml"]
)
def test_body_of_another_media_type_is_refused(rest: Rest, kind: str) -> None:
    answer = rest.post("memories", "content=x", **{"Content-Type": kind})

    found = problem(answer)

    assert found["status"] == 415
    assert found["code"] == "unsupported_media_type"


def test_odd_charset_of_a_body_does_no_harm(rest: Rest, live_url: str) -> None:
    """Over HTTP, since Django reads the charset before it looks for a view."""
    answer = httpx.post(
        f"{live_url}/api/v1/banks/main/memories?x=1",
        content='{"content": "x"}',
        headers={
            "Authorization": f"Bearer {rest.secret}",
            "Content-Type": "application/json; charset=hex",
        },
    )

    assert answer.status_code == 400
    assert answer.json()["field"] == "x"


def test_body_of_unknown_length_is_read(rest: Rest, live_url: str) -> None:
    """A chunked request carries no Content-Length."""
    answer = httpx.post(
        f"{live_url}/api/v1/banks/main/memories",
        content=iter([b'{"content": ', b'"Sent in two pieces."}']),
        headers={
            "Authorization": f"Bearer {rest.secret}",
            "Content-Type": "application/json",
        },
    )

    assert answer.status_code == 201


def test_body_over_the_limit_is_refused(rest: Rest, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000

    found = problem(rest.post("memories", {"content": "x" * 2_000}))

    assert (found["status"], found["code"]) == (413, "request_too_large")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS"])
def test_wrong_method_is_told_the_right_ones(rest: Rest, method: str) -> None:
    answer = rest.call(method, "memories")

    found = problem(answer)

    assert found["status"] == 405
    assert answer["Allow"] == "GET, POST, HEAD"


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    "path", ["/api/", "/api/v2/banks", "/api/v1/nothing", "/api/v1/banks/main/x/y"]
)
def test_address_that_leads_nowhere_is_a_problem(rest: Rest, method: str, path: str) -> None:
    found = problem(rest.call(method, path))

    assert (found["status"], found["code"]) == (404, "not_found")


def test_id_of_another_kind_is_refused_at_once(rest: Rest) -> None:
    """B1."""
    bank = rest.get("/api/v1/banks/main").json()["id"]

    found = problem(rest.get(f"memories?import_id={bank}"))

    assert found["code"] == "wrong_id_prefix"


def test_request_id_of_the_caller_is_kept_where_it_can_be_stored(rest: Rest) -> None:
    kept = rest.get("memories", **{"X-Request-Id": "trace-1"})
    replaced = rest.get("memories", **{"X-Request-Id": "x" * 300})

    assert kept["X-Request-Id"] == "trace-1"
    assert len(replaced["X-Request-Id"]) == 36


def test_database_that_is_away_is_said_to_be_unavailable(
    rest: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OperationalError("server closed the connection")

    monkeypatch.setattr("memory_app.queries.memories.list_page", fail)

    answer = rest.get("memories")

    assert problem(answer)["code"] == "unavailable"
    assert answer["Retry-After"] == "5"
    assert "server closed" not in answer.content.decode()


def test_defect_of_ours_shows_no_trace(rest: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise KeyError("secret detail")

    monkeypatch.setattr("memory_app.queries.memories.list_page", fail)

    answer = rest.get("memories")

    assert problem(answer)["code"] == "internal_error"
    assert "secret detail" not in answer.content.decode()


@pytest.mark.parametrize(
    "path",
    [
        "memories/{}",
        "memories/{}/history",
        "memories/{}/versions/1",
        "memories/{}/links",
        "entities/{}",
        "files/{}",
        "/api/v1/banks/{}",
        "/api/v1/agents/{}",
    ],
)
def test_an_id_of_another_kind_is_refused_where_a_name_may_stand_too(rest: Rest, path: str) -> None:
    """B1."""
    found = problem(rest.get(path.format(new_id("rec"))))

    assert (found["status"], found["code"]) == (400, "wrong_id_prefix")


@pytest.mark.parametrize(
    ("path", "body", "name"),
    [
        ("memories", b'{"content": "One.", "content": "Two."}', "content"),
        ("memories", b'{"memories": [{"content": "One.", "tags": ["a"], "tags": []}]}', "tags"),
        ("search", b'{"query": "one", "limit": 1, "limit": 2}', "limit"),
        ("notes", b'{"text": "One.", "props": {"a": 1, "a": 2}}', "a"),
    ],
)
def test_a_name_given_twice_in_a_body_is_refused_by_name(
    rest: Rest, path: str, body: bytes, name: str
) -> None:
    """Which of the two was meant nobody knows, so neither is taken."""
    refused = problem(rest.post(path, body))

    assert (refused["code"], refused["field"]) == ("invalid_argument", name)
    assert repr(name) in refused["detail"]
    assert rest.get("memories").json()["memories"] == []


def test_a_key_means_no_other_organization(rest: Rest) -> None:
    """Case 084: a request that names another organization isn't carried out in the key's own."""
    own = rest.get("/api/v1/organization").json()

    refused = problem(rest.post("memories", {"content": "Here?"}, X_Organization="elsewhere"))
    named = [rest.get("memories", X_Organization=own[name]) for name in ("slug", "id")]

    assert (refused["status"], refused["code"]) == (404, "not_found")
    assert [answer.json()["memories"] for answer in named] == [[], []]
