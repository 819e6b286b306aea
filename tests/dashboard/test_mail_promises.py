"""What pages say about mail while no mail server is set, and while one is."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from tests.dashboard.conftest import Desk

KEPT = "the folder mail/ of the data folder"
PUBLIC = ["/accounts/password/reset/", "/accounts/password/reset/done/"]


@pytest.fixture
def into_files(settings: Settings, tmp_path: Path) -> None:
    settings.EMAIL_FILE_PATH = str(tmp_path)


@pytest.mark.parametrize("path", [*PUBLIC, "/accounts/confirm-email/"])
def test_entrance_pages_say_where_the_mail_lies(path: str, into_files: None) -> None:
    said = Client().get(path).content.decode()

    assert "No mail server is set" in said
    assert KEPT in said
    assert "spam" not in said


@pytest.mark.parametrize("path", PUBLIC)
def test_with_a_mail_server_they_say_that_it_was_sent(path: str, settings: Settings) -> None:
    settings.EMAIL_URL = "smtp://localhost"

    said = Client().get(path).content.decode()

    assert "No mail server" not in said
    assert "the address" in said or "on its way" in said


def test_the_review_promises_no_mail_that_nobody_gets(
    desk: Desk, into_files: None, settings: Settings
) -> None:
    without = desk.client.get(desk.url("review/")).content.decode()
    chosen = desk.client.post(desk.url("review/digest"), {"wanted": "1"}, follow=True)
    settings.EMAIL_URL = "smtp://localhost"
    with_one = desk.client.get(desk.url("review/")).content.decode()

    assert "You get a mail a day" not in without
    assert f"only written into {KEPT}" in without
    assert f"A daily mail is written into {KEPT}." in chosen.content.decode()
    assert "You get a mail a day" in with_one


def test_a_new_address_says_where_its_link_lies(desk: Desk, into_files: None) -> None:
    page = desk.client.get("/accounts/email/").content.decode()

    assert f"only written into {KEPT}" in page


def test_where_mail_is_only_logged_the_log_is_named(settings: Settings) -> None:
    settings.EMAIL_FILE_PATH = None

    said = Client().get(PUBLIC[0]).content.decode()

    assert "the server’s log" in said
