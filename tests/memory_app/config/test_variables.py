import math

import pytest
from django.core.exceptions import ImproperlyConfigured

from memory_app.config import variables


@pytest.mark.parametrize("value", ["perhaps", "2", "tru"])
def test_a_switch_that_is_neither_on_nor_off_is_refused(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("LOG_JSON", value)

    with pytest.raises(ImproperlyConfigured, match="LOG_JSON is"):
        variables.switch("LOG_JSON", default=False)


@pytest.mark.parametrize(
    ("value", "expected"), [("True", True), (" on ", True), ("0", False), ("", False)]
)
def test_a_switch_reads_the_usual_words(
    monkeypatch: pytest.MonkeyPatch, value: str, expected: bool
) -> None:
    monkeypatch.setenv("LOG_JSON", value)

    assert variables.switch("LOG_JSON", default=True) is expected


@pytest.mark.parametrize("value", ["x", "1.5", "-1", "11"])
def test_a_number_out_of_its_bounds_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("TRUSTED_PROXIES", value)

    with pytest.raises(ImproperlyConfigured, match="TRUSTED_PROXIES is"):
        variables.whole("TRUSTED_PROXIES", default=0, least=0, most=10)


def test_what_is_no_number_is_no_time_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRITE_EMBED_SECONDS", str(math.nan))

    with pytest.raises(ImproperlyConfigured, match="WRITE_EMBED_SECONDS is nan"):
        variables.seconds("WRITE_EMBED_SECONDS", default=2.0, least=0.0, most=600.0)


def test_a_variable_that_is_set_to_nothing_has_its_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DAILY_OPERATION_CAP", "")
    monkeypatch.setenv("JUDGE", "")

    assert variables.whole("DAILY_OPERATION_CAP", default=7, least=0) == 7
    assert variables.one_of("JUDGE", ("none", "ensemble"), default="ensemble") == "ensemble"


@pytest.mark.parametrize(
    "host", ["https://a.example", "a.example/path", "a.example:8000", "::1", "[::1]:80"]
)
def test_a_host_is_a_name_alone(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("ALLOWED_HOSTS", f"fine.example,{host}")

    with pytest.raises(ImproperlyConfigured, match="ALLOWED_HOSTS holds"):
        variables.hosts("ALLOWED_HOSTS")


def test_names_and_addresses_of_hosts_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_HOSTS", "a.example, .b.example ,[::1],127.0.0.1,")

    assert variables.hosts("ALLOWED_HOSTS") == ["a.example", ".b.example", "[::1]", "127.0.0.1"]


@pytest.mark.parametrize(
    "origin", ["*", "https://*.example", "a.example", "https://a.example/", "https://a:x", "null"]
)
def test_an_origin_that_no_browser_sends_is_refused(
    monkeypatch: pytest.MonkeyPatch, origin: str
) -> None:
    monkeypatch.setenv("MCP_ALLOWED_ORIGINS", origin)

    with pytest.raises(ImproperlyConfigured, match="MCP_ALLOWED_ORIGINS holds"):
        variables.origins("MCP_ALLOWED_ORIGINS", default=[])


def test_no_origins_at_all_can_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_ALLOWED_ORIGINS", "")

    assert variables.origins("MCP_ALLOWED_ORIGINS", default=["https://claude.ai"]) == []
