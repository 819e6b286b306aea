from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods, require_POST

from accounts.queries.agents import agents_with_access
from accounts.queries.names import names_of
from accounts.roles import holds
from accounts.services import agents, connections
from accounts.tenancy import acting_as
from dashboard import fresh
from dashboard.answers import go, show
from dashboard.place import Place, screen
from dashboard.presenters.agents import present_agents
from memory_app.queries.sidebar import load_sidebar


@require_http_methods(["GET", "POST"])
@screen
def index(place: Place) -> HttpResponse:
    """Every agent with its connections and keys; a POST makes one, connected to this bank."""
    if place.request.method == "POST":
        return _create(place)
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        found = list(agents_with_access(place.actor)[:200])
        makers = {key.created_by for agent in found for key in agent.api_keys.all()}
        names = names_of(place.actor, makers)
    context = {
        "heading": "Agents and keys",
        "section": "agents",
        "agents": present_agents(place, found, sidebar, names),
        "fresh_key": fresh.take(place.request),
        "create_url": place.url("agents"),
        "may_manage": holds(place.actor, "member"),
    }
    return show(place, sidebar, "dashboard/agents/index.html", context)


@require_POST
@screen
def pause(place: Place, agent: str) -> HttpResponse:
    wanted = place.request.POST.get("paused") == "1"
    change = agents.pause_agent if wanted else agents.resume_agent
    changed = change(place.actor, agent)
    said = "is paused. Its keys are refused." if wanted else "works again."
    return go(place.request, place.url("agents"), f"{changed.name} {said}")


@require_POST
@screen
def connect_bank(place: Place, agent: str) -> HttpResponse:
    form = place.request.POST
    connections.connect(
        place.actor, agent=agent, bank=form.get("bank", ""), tier=form.get("tier") or None
    )
    return go(place.request, place.url("agents"), "Connected.")


@require_POST
@screen
def connection(place: Place, connection: str) -> HttpResponse:
    """Save tier and toolsets, pause, resume or revoke, by the button that was pressed."""
    form = place.request.POST
    action = form.get("action", "save")
    if action == "revoke":
        connections.disconnect(place.actor, connection)
        said = "The connection is revoked. What the agent wrote stays."
    elif action in {"pause", "resume"}:
        connections.pause_connection(place.actor, connection, paused=action == "pause")
        said = "The connection is paused." if action == "pause" else "The connection works again."
    else:
        connections.change_connection(
            place.actor, connection, tier=form.get("tier"), toolsets=form.getlist("toolsets")
        )
        said = "Saved. It holds from the agent's next request."
    return go(place.request, place.url("agents"), said)


def _create(place: Place) -> HttpResponse:
    form = place.request.POST
    made = agents.create_agent(place.actor, name=form.get("name", ""))
    tier = form.get("tier") or None
    connections.connect(place.actor, agent=made.id, bank=place.bank, tier=tier)
    return go(place.request, place.url("agents"), f"{made.name} is connected to this bank.")
