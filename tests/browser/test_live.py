"""Open pages hear of changes, and look again by themselves when they can't."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

OPEN = "document.body.dataset.liveState === 'open'"
HEARD = """() => {
  window.heard = [];
  document.body.addEventListener("live:memory", (event) => window.heard.push(...event.detail.ids));
}"""


def test_a_page_hears_of_a_new_memory(visit: Callable[..., Any], remember: Any) -> None:
    here = visit()
    here.open("memories/")
    here.page.wait_for_function(OPEN)
    here.page.evaluate(HEARD)

    saved = remember(here.world, "The office closes at six.")

    here.page.wait_for_function("id => window.heard.includes(id)", arg=saved.id, timeout=1_500)
    assert here.said == []
