from __future__ import annotations

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from accounts.queries import events
from accounts.queries.agents import (
    agents_with_access,
    connections_page,
    find_agent,
    keys_page,
)
from accounts.queries.names import names_of
from accounts.roles import holds
from accounts.services import agents, connections
from accounts.tenancy import acting_as
from dashboard import fresh
from dashboard.answers import back, go, show
from dashboard.forms.browsing import parse_name
from dashboard.once import Landing, once
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.access_log import named_ids, present_access_events
from dashboard.presenters.agents import makers, present_agent, present_agents
from dashboard.undoing import way_back
from memory_app.domain.errors import InvalidArgument
from memory_app.queries.sidebar import load_sidebar


@require_http_methods(["GET", "POST"])
@screen
def index(place: Place) -> HttpResponse:
    """Every agent with its connections and keys; a POST makes one, connected to this bank."""
    if place.request.method == "POST":
        return _create(place)
    after = place.request.GET.get("after") or None
    named = parse_name(place.request.GET, limit=agents.NAME_LIMIT)
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        found = agents_with_access(place.actor, named=named, after=after)
        names = names_of(place.actor, makers(found.items))
    here = place.url("agents")
    context = {
        "heading": "Agents and keys",
        "section": "agents",
        "agents": present_agents(place, found.items, sidebar, names),
        "named": named,
        "searchable": bool(named or after or found.next_cursor),
        **filters.pager(here, {"q": named}, after, found.next_cursor),
        "fresh_key": fresh.take(place.request),
        "create_url": place.url("agents"),
        "may_manage": holds(place.actor, "member"),
    }
    return show(place, sidebar, "dashboard/agents/index.html", context)


@require_http_methods(["GET", "POST"])
@screen
def one(place: Place, agent: str) -> HttpResponse:
    """One agent with its connections, its keys and what was changed about it, a page of each; a POST
    renames and describes.
    """
    if place.request.method == "POST":
        form, started = place.request.POST, timezone.now()
        changed = agents.update_agent(
            place.actor, agent, name=form.get("name", ""), description=form.get("description", "")
        )
        url = place.url("agent", changed.id)
        undo = way_back(place, changed.id, since=started, here=url)
        return go(place.request, url, "Saved.", undo=undo)
    after = place.request.GET.get("after") or None
    further = place.request.GET.get("connections") or None
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        found = find_agent(place.actor, agent)
        held = connections_page(place.actor, agent_id=found.id, after=further)
        keys = keys_page(place.actor, agent_id=found.id, after=after)
        changes = events.page(place.actor, target=found.id, limit=20).items
        names = names_of(place.actor, makers([found], keys.items) | named_ids(changes))
    here = place.url("agent", found.id)
    context = {
        "heading": found.name,
        "section": "agents",
        "agent": present_agent(place, found, sidebar, names, connections=held, keys=keys.items),
        "changes": present_access_events(changes, names) if holds(place.actor, "admin") else (),
        "fresh_key": fresh.take(place.request),
        "may_manage": holds(place.actor, "member"),
        "save_url": here,
        "agents_url": place.url("agents"),
        **filters.pager(here, {}, after or further, keys.next_cursor),
    }
    return show(place, sidebar, "dashboard/agents/one.html", context)


@require_POST
@screen
def pause(place: Place, agent: str) -> HttpResponse:
    """The form's button, or the undo of a toast, which says it in its address."""
    wanted = place.request.POST.get("paused", place.request.GET.get("paused")) == "1"
    change = agents.pause_agent if wanted else agents.resume_agent
    changed = change(place.actor, agent)
    said = "is paused. Its keys are refused." if wanted else "works again."
    undo = filters.address(place.url("agent-pause", agent), {"paused": "0" if wanted else "1"})
    url = back(place.request, place.url("agents"))
    return go(place.request, url, f"{changed.name} {said}", undo=undo)


@require_POST
@screen
def connect_bank(place: Place, agent: str) -> HttpResponse:
    form, started = place.request.POST, timezone.now()
    made = connections.connect(
        place.actor, agent=agent, bank=form.get("bank", ""), tier=form.get("tier") or None
    )
    url = back(place.request, place.url("agents"))
    undo = way_back(place, made.id, since=started, here=url)
    return go(place.request, url, "Connected.", undo=undo)


@require_POST
@screen
def connection(place: Place, connection: str) -> HttpResponse:
    """Save tier and toolsets, pause, resume or revoke, by the button that was pressed."""
    form, started = place.request.POST, timezone.now()
    url = back(place.request, place.url("agents"))
    action = form.get("action", place.request.GET.get("action", "save"))
    if action == "revoke":
        connections.disconnect(place.actor, connection)
        said = "The connection is revoked. What the agent wrote stays."
    elif action in {"pause", "resume"}:
        connections.pause_connection(place.actor, connection, paused=action == "pause")
        said = "The connection is paused." if action == "pause" else "The connection works again."
        other = "resume" if action == "pause" else "pause"
        undo = filters.address(place.url("connection", connection), {"action": other})
        return go(place.request, url, said, undo=undo)
    elif action != "save":
        raise InvalidArgument("There is no such change of a connection.", hint="Reload the page.")
    else:
        connections.change_connection(
            place.actor, connection, tier=form.get("tier"), toolsets=form.getlist("toolsets")
        )
        said = "Saved. It holds from the agent's next request."
    undo = way_back(place, connection, since=started, here=url)
    return go(place.request, url, said, undo=undo)


def _create(place: Place) -> HttpResponse:
    form, started = place.request.POST, timezone.now()

    def work() -> Landing:
        made = agents.create_agent(place.actor, name=form.get("name", ""))
        tier = form.get("tier") or None
        held = connections.connect(place.actor, agent=made.id, bank=place.bank, tier=tier)
        said = f"{made.name} is connected to this bank."
        url = place.url("agents")
        undo = way_back(place, held.id, since=started, here=url)
        return Landing(url=url, text=said, undo=undo)

    return once(place, work)
