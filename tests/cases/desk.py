"""The import screen as a door: what a replay pastes over REST goes through the dashboard's forms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from tests.cases.doors import Outcome, RestDoor
from tests.factories import World
from tests.memory_app.rest.client import BACKEND, rest_of


@dataclass(slots=True)
class DeskDoor(RestDoor):
    """REST, but imports are pasted, started and undone by a person at the dashboard."""

    place: str = ""
    browser: Client = field(default_factory=Client)

    def ask(self, method: str, path: str, body: Any = None, **query: Any) -> Outcome:
        if method == "POST" and path == "imports":
            return self._paste(body["text"])
        if method == "POST" and path.endswith("/undo") and path.startswith("imports/"):
            self.browser.post(f"{self.place}{path.replace('imports', 'import', 1)}")
            return RestDoor.ask(self, "GET", path.removesuffix("/undo"))
        return RestDoor.ask(self, method, path, body, **query)

    def _paste(self, text: str) -> Outcome:
        page = self.browser.post(f"{self.place}import/", {"lines": text}, follow=True)
        self.heard.append(page.content.decode())
        self.statuses.append(page.status_code)
        if "problem" in page.context:
            problem = page.context["problem"]
            return Outcome(body={}, code=problem.code, message=problem.message)
        job = page.context["job"].id
        self.browser.post(f"{self.place}import/{job}/check")
        self.browser.post(f"{self.place}import/{job}/start")
        return RestDoor.ask(self, "GET", f"imports/{job}")


def desk_door(world: World) -> DeskDoor:
    browser = Client()
    browser.force_login(world.owner, backend=BACKEND)
    place = f"/o/{world.organization.slug}/{world.bank.slug}/"
    return DeskDoor(rest_of(world), place=place, browser=browser)
