from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_app.models import Memory
from tests.dashboard.conftest import Desk

# More than Python turns into a number at all.
DIGITS = "1" * 5_000


@pytest.mark.parametrize(
    ("screen", "form"),
    [
        ("tests/new", {"query": "x", "within": DIGITS}),
        ("settings/", {"name": "Main", "bin_days": DIGITS, "history_days": DIGITS}),
        ("gaps/x/snooze", {"days": DIGITS}),
    ],
)
def test_a_number_too_long_to_read_is_refused_without_a_failure(
    desk: Desk, remember: Callable[..., Memory], screen: str, form: dict[str, str]
) -> None:
    memory = remember("Ada runs.").id

    answer = desk.client.post(desk.url(screen), form | {"memory": memory})

    assert answer.status_code in {302, 400, 422}


def test_so_is_a_cap(desk: Desk) -> None:
    here = f"/o/{desk.world.organization.slug}/settings/"

    answer = desk.client.post(here, {"name": "Acme", "daily_operation_cap": DIGITS}, follow=True)

    assert "daily_operation_cap" in answer.content.decode()
