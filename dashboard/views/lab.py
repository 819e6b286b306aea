from __future__ import annotations

from typing import Any

from django.http import HttpResponse, JsonResponse
from django.views.decorators.http import require_GET

from accounts.queries.agents import visible_agents
from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from dashboard.answers import show
from dashboard.forms.asking import TOOLS, LabQuery, given_options, parse_lab
from dashboard.place import Place, screen
from dashboard.presenters import lab as present
from dashboard.presenters.calls import present_calls
from dashboard.presenters.memories import point_to
from dashboard.presenters.recipes import Door
from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.domain.ids import is_id
from memory_app.models import Memory
from memory_app.queries.access import resolve, visible_banks
from memory_app.queries.memories import find_many
from memory_app.queries.sidebar import load_sidebar
from memory_app.recall.values import Query
from memory_app.rest.serializers.recall import FUSIONS, MODES
from memory_app.services import lab, receipts
from memory_app.services.lab_replies import lab_reply
from memory_app.services.looking import look

PAGE = "dashboard/lab/index.html"
CHOICES = 8
_NOT_HERE = "No memory of this bank has that id."


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """F5: any question as any connection, with everything that recall did. About thirty statements."""
    sent = place.request.GET
    try:
        asked = parse_lab(sent)
        chosen, choices = _chosen(place, asked.why)
        found = (
            lab.explain(place.actor, place.bank, asked.query, agent=asked.agent, why=chosen)
            if asked.asked
            else None
        )
    except (InvalidArgument, NotFound) as error:
        # A bank that isn't there is told of by the frame itself, which needs it too.
        status = 404 if error.message == _NOT_HERE else 422
        return _frame(place, given_options(sent), {"problem": error}, status=status)
    if found is not None and asked.wants_json:
        return JsonResponse(lab_reply(found), json_dumps_params={"indent": 2})
    if found is None:
        return _frame(place, asked.given, {"nothing_asked": True})
    return _frame(place, asked.given, _run(place, asked, found) | {"choices": choices})


def _chosen(place: Place, why: str) -> tuple[str, list[Any]]:
    """The memory to account for; where the text names none, the memories that it may mean."""
    if not why:
        return why, []
    if is_id("mem", why):
        with acting_as(place.actor):
            if not find_many(resolve(place.actor, place.bank), [why]):
                raise InvalidArgument(_NOT_HERE, hint=_elsewhere(place, why), field="why")
        return why, []
    named = look(place.actor, place.bank, Query(text=why, mode="lookup", limit=1)).hits
    if named:
        return named[0].memory.id, []
    hits = look(place.actor, place.bank, Query(text=why, limit=CHOICES)).hits
    given = given_options(place.request.GET)
    return "", [
        (point_to(place, hit.memory), present.lab_url(place, given | {"why": hit.memory.id}))
        for hit in hits
    ]


def _elsewhere(place: Place, memory: str) -> str:
    """Another bank that this person sees; what nobody here sees was never there. Two queries."""
    names = dict(visible_banks(place.actor).values_list("id", "name"))
    held = Memory.objects.filter(bank_id__in=list(names), id=memory).values_list(
        "bank_id", flat=True
    )
    bank = held.first()
    if bank is None:
        return "Choose one of this bank, by its id, its slug or its words."
    return f"It is in the bank {names[bank]}, and a recall reads one bank. Ask there."


def _run(place: Place, asked: LabQuery, found: lab.LabRun) -> dict[str, Any]:
    with acting_as(place.actor):
        names = names_of(place.actor, {hit.memory.author for hit in found.result.hits})
    timings = present.present_timings(found)
    door = Door(base=place.request.build_absolute_uri("/").rstrip("/"), bank=place.bank)
    return {
        "found": found,
        "hits": present.present_hits(place, found, names, asked),
        "cuts": present.present_cuts(place, found.cuts, asked),
        "hidden": [present.present_reason(place, each, asked) for each in found.hidden],
        "reason": present.present_reason(place, found.reason, asked) if found.reason else None,
        "timings": timings,
        "total_ms": sum(each.ms for each in timings),
        "permission": present.present_permission(found, asked.tool),
        "calls": present_calls(door, asked),
        "json_url": present.lab_url(place, asked.given | {"format": "json"}),
        "words_only": asked.query.needs_vector and not found.has_vector,
    }


def _frame(
    place: Place, given: dict[str, str], extra: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        agents = list(visible_agents(place.actor)[:200])
        recent = receipts.recent(sidebar.access) if "nothing_asked" in extra else ()
        names = names_of(place.actor, {recall.actor for recall in recent})
    context = {
        "heading": "Recall lab",
        "section": "lab",
        "given": given,
        "agents": agents,
        "modes": MODES,
        "fusions": FUSIONS,
        "tools": list(TOOLS),
        "filter_fields": present.filter_fields(given),
        "asked_given": any(given.get(name) for name in present.ASKED),
        "more_given": any(name in given for name in present.FOLDED),
        "lab_url": place.url("lab"),
        "recent": [
            {
                "query": recall.query,
                "who": names[recall.actor].name,
                "at": recall.created_at,
                "url": place.url("recall", recall.id),
                "hit_count": recall.hit_count,
                "lab_url": present.lab_url(place, {"query": recall.query}),
            }
            for recall in recent
        ],
    }
    return show(place, sidebar, PAGE, context | extra, part="results", status=status)
