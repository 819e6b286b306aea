import pytest
from django.conf import settings
from django.db import OperationalError
from django.test import Client


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(settings, "ALLOWED_HOSTS", ["memory.example.com"])
    return Client(raise_request_exception=False, headers={"Host": "evil.example"})


def test_a_foreign_host_is_a_problem_below_the_api(foreign: Client) -> None:
    found = foreign.get("/api/v1/organization")

    assert (found.status_code, found["Content-Type"]) == (400, "application/problem+json")
    assert (found.json()["code"], found.json()["field"]) == ("malformed_request", "Host")
    assert "ALLOWED_HOSTS" in found.json()["hint"]


def test_a_foreign_host_is_a_page_elsewhere(foreign: Client) -> None:
    found = foreign.get("/accounts/login/")

    assert (found.status_code, found["Content-Type"].split(";")[0]) == (400, "text/html")


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (OperationalError("gone"), 503, "unavailable"),
        (RuntimeError("a fault of ours"), 500, "internal_error"),
    ],
)
def test_what_breaks_before_a_view_is_a_problem_below_the_api(
    monkeypatch: pytest.MonkeyPatch, failure: Exception, status: int, code: str
) -> None:
    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr("csp.middleware.CSPMiddleware.process_response", fail)
    found = Client(raise_request_exception=False).get("/api/v1/")

    assert (found.status_code, found["Content-Type"]) == (status, "application/problem+json")
    assert found.json()["code"] == code
    assert "a fault of ours" not in found.content.decode()
