from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from django.test import Client

from memory_app.domain.values import parse_draft
from memory_app.models import Memory
from memory_app.services import memories
from tests.browser import looking
from tests.browser.looking import SIZES
from tests.factories import World, make_world

# Playwright's driver runs an event loop in this thread; the ORM is called beside it, never inside it.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
COPIED = "GPU stall due to ReadPixels"


@dataclass(slots=True)
class Visit:
    """One browser context of a signed-in person, with everything the console said."""

    world: World
    page: Any
    base: str
    said: list[str] = field(default_factory=list)

    def note(self, message: Any) -> None:
        """Keep what the console says, but for the driver's remark that a drawing is copied into the
        page by the processor: so this browser is set."""
        if COPIED not in message.text:
            self.said.append(f"{message.type}: {message.text}")

    def open(self, path: str = "") -> Any:
        """A screen of the bank; returns the answer."""
        return self.page.goto(
            f"{self.base}/o/{self.world.organization.slug}/{self.world.bank.slug}/{path}"
        )

    def violations(self) -> list[str]:
        """What axe finds on the page as it stands, one line a node."""
        return looking.violations(self.page)

    def faults(self, *, parts: looking.Parts = "screen") -> list[str]:
        """What is wrong in any of the four forms, with everything opened that opens on the screen."""
        return looking.faults(self.page, parts=parts)

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - innerWidth"))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """One browser a module: while its driver runs, no other test of this process can use asyncio."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as driver:
        # The graph draws with WebGL, which a machine without a graphics card does in software. Pages
        # must not be put together that way as well: each would take ten times as long.
        drawing = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        drawing += ["--disable-gpu-compositing"]
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *drawing])
        yield started
        started.close()


@pytest.fixture
def visit(chromium: Any, live_url: str) -> Iterator[Callable[..., Visit]]:
    """Open a browser as the owner of a new organization: `visit("narrow", scheme="dark")`."""
    contexts = []

    def start(
        size: str = "wide",
        *,
        scheme: str = "light",
        scripts: bool = True,
        world: World | None = None,
    ) -> Visit:
        here = world or make_world(tier="full")
        width, height = SIZES[size]
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            java_script_enabled=scripts,
            reduced_motion="reduce",
        )
        contexts.append(context)
        context.set_default_timeout(15_000)
        context.set_default_navigation_timeout(30_000)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        context.add_cookies([{"name": "sessionid", "value": _session(here), "url": live_url}])
        visit = Visit(world=here, page=context.new_page(), base=live_url)
        visit.page.on("console", lambda message: visit.note(message))
        visit.page.on("pageerror", lambda error: visit.said.append(f"error: {error}"))
        visit.page.on("response", lambda answer: visit.said.extend(_loose(answer)))
        visit.page.on("dialog", lambda dialog: visit.said.append(f"dialog: {dialog.message}"))
        return visit

    yield start
    for context in contexts:
        context.close()


@pytest.fixture
def remember() -> Callable[..., Memory]:
    """Save a statement in a world's bank, as its agent does."""

    def save(world: World, content: str, **fields: object) -> Memory:
        agent = replace(world.caller, door="mcp", tool="create_memory", client="coder/1.0")
        draft = parse_draft(content=content, default_source=agent.client, **fields)
        return memories.save(agent, world.bank.slug, draft).memory

    return save


def _loose(answer: Any) -> list[str]:
    """Says so when a page comes without a policy, or with one that lets inline code run."""
    page = answer.request.resource_type == "document" and answer.status not in range(300, 400)
    policy = answer.headers.get("content-security-policy", "unsafe")
    return [f"policy of {answer.url}: {policy}"] if page and "unsafe" in policy else []


def _session(world: World) -> str:
    client = Client()
    client.force_login(world.owner, backend="django.contrib.auth.backends.ModelBackend")
    return str(client.cookies["sessionid"].value)
