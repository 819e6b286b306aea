from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.queries.agents import visible_agents
from accounts.queries.sightings import sightings
from accounts.roles import holds
from accounts.services.agents import NAME_LIMIT
from accounts.tenancy import acting_as
from dashboard import fresh
from dashboard.answers import show
from dashboard.place import Place, screen
from dashboard.presenters.filters import address
from dashboard.presenters.recipes import CLIENTS, Door, client_links, write_recipe
from dashboard.presenters.sightings import present_sightings
from memory_app.queries.access import resolve
from memory_app.queries.sidebar import load_sidebar


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """A snippet for each client with the real address, and a fresh key while there is one."""
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        seen_now = sightings(place.actor, sidebar.access.bank.id)
        agents = list(visible_agents(place.actor)[:50])
    key = fresh.take(place.request, keep=True)
    door = Door(
        base=place.request.build_absolute_uri("/").rstrip("/"),
        bank=place.bank,
        key=key.secret if key else "",
    )
    chosen = place.request.GET.get("client", "")
    client = chosen if chosen in CLIENTS else next(iter(CLIENTS))
    context = {
        "heading": "Connect",
        "section": "connect",
        "fresh_key": key,
        "key_shown": door.shown_key,
        "key_url": place.url("agent-key", "new"),
        "agents": agents,
        "agent_name": _suggested(place, client),
        "chosen_url": address(place.url("connect"), {"client": client}),
        "clients": client_links(place.url("connect"), client),
        "recipe": write_recipe(client, door),
        "seen": present_sightings(seen_now),
        "seen_url": place.url("connect-seen"),
        "may_manage": holds(place.actor, "member"),
    }
    return show(place, sidebar, "dashboard/connect/index.html", context)


def _suggested(place: Place, client: str) -> str:
    """The client's name, unless the field holds one that somebody typed."""
    typed = place.request.GET.get("agent", "").strip()[:NAME_LIMIT]
    return typed if typed and typed not in CLIENTS.values() else CLIENTS[client]


@require_GET
@screen
def seen(place: Place) -> HttpResponse:
    """The live list of who was here when; asked every three seconds. Three queries."""
    with acting_as(place.actor):
        access = resolve(place.actor, place.bank)
        found = sightings(place.actor, access.bank.id)
    context = {"seen": present_sightings(found), "seen_url": place.url("connect-seen")}
    return render(place.request, "dashboard/connect/seen.html", context)
