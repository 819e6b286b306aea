from __future__ import annotations

from collections.abc import Callable

from tests.browser.conftest import Visit


def test_page_of_the_rest_api_lists_its_operations_under_the_policy(
    visit: Callable[..., Visit],
) -> None:
    """Swagger's page comes from this server and keeps to the content security policy."""
    here = visit()

    answer = here.page.goto(f"{here.base}/api/v1/docs/")

    # Only what is in view is drawn: the last group comes by scrolling.
    here.page.wait_for_selector("#operations-agents-list_agents", timeout=30_000)
    here.page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    here.page.wait_for_selector("#operations-usage-get_usage", timeout=30_000)
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert [text for text in here.said if text.startswith("error")] == []
