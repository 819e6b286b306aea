from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from dashboard.answers import back, go, show, toast
from dashboard.http import wants_part
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.deciding import present_many
from dashboard.presenters.proposals import present_merges, present_pins, present_questions
from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import is_id
from memory_app.models import Memory
from memory_app.queries import merges, proposals, review
from memory_app.queries.access import Access, resolve
from memory_app.queries.expectations import count_red
from memory_app.queries.memories import find
from memory_app.queries.merges import MergeReview
from memory_app.queries.proposals import Review
from memory_app.queries.sidebar import load_sidebar
from memory_app.services import consolidating, digests, memories
from memory_app.services import proposals as deciding

PAGE = 20
# Of each sort on the page of all.
EACH = 10
KINDS = ("contradiction", "duplicate", "retirement", "entities", "pins")
_QUESTIONS = ("contradiction", "duplicate", "retirement")
_SAID = {
    "replace": "The older memory is retired.",
    "keep_old": "The newer memory is retired.",
    "both_stand": "Both stand.",
    "merge": "Merged.",
    "retire": "Retired.",
    "keep": "It stays, and is not asked about again.",
    "skip": "Left for later.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """What one page asks, before it is put into words."""

    reviews: list[Review]
    merging: list[MergeReview]
    pins: list[Memory]
    older: str | None


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """What the system or an agent is unsure of, for people to decide (F4). Eleven queries."""
    kind = _kind(place.request.GET)
    after = place.request.GET.get("after", "")
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        waiting = review.waiting(sidebar.access)
        found = _queue(sidebar.access, kind, after or None)
        sides = [side for one in found.reviews for side in (one.old, one.new)] + found.pins
        served = review.readers(sidebar.access, [memory.id for memory in sides])
        names = names_of(place.actor, _people(found, sides) | _readers(served))
    mail = digests.wanted(place.actor)
    base = place.url("review")
    kept = {"kind": kind}
    context: dict[str, Any] = _counts(base, kind, waiting) | {
        "heading": "Review",
        "section": "review",
        "proposals": present_questions(place, found.reviews, names, served),
        "merges": present_merges(place, found.merging, names),
        "pins": present_pins(place, found.pins, names, served),
        "freshness_days": sidebar.access.bank.freshness_days,
        "following": wants_part(place.request),
        "review_url": filters.address(base, kept),
        "base_url": base,
        "older_url": filters.address(base, kept | {"after": found.older}) if found.older else "",
        "newer_url": filters.address(base, kept) if after else "",
        "choices": present_many(kind) if sidebar.access.allows("full") else (),
        "bulk_url": place.url("review-bulk"),
        "mail": mail,
        "mail_url": place.url("digest"),
    }
    return show(place, sidebar, "dashboard/review/index.html", context, part="queue")


@require_GET
@screen
def heard(place: Place) -> HttpResponse:
    """How much waits, asked by every page of the bank when it hears of a change; on the queue also what
    waits no longer and how much came. Three queries, on the queue at most eleven.
    """
    asked_on = urlsplit(place.request.htmx.current_url or "")
    shown = [
        one
        for one in place.request.GET.getlist("shown")[: 3 * PAGE]
        if is_id("prop", one) or is_id("mem", one)
    ]
    kind, base = _kind(QueryDict(asked_on.query)), place.url("review")
    on_page = asked_on.path == base
    settled: list[str] = []
    newer = 0
    with acting_as(place.actor):
        access = resolve(place.actor, place.bank)
        waiting, red_tests = review.waiting(access), count_red(access)
        if on_page:
            still = review.still_waiting(access, shown)
            settled = [one for one in shown if one not in still]
            # An empty page looks for questions by itself.
            if "empty" not in place.request.GET:
                newer = _newer(_queue(access, kind, None), shown, still)
    context: dict[str, Any] = _counts(base, kind, waiting) | {
        "on_page": on_page,
        "shown": bool(shown),
        "settled": settled,
        "newer": newer,
        "red_tests": red_tests,
        "review_url": filters.address(base, {"kind": kind}),
    }
    return render(place.request, "dashboard/review/waiting.html", context)


@require_POST
@screen
def decide(place: Place, proposal: str) -> HttpResponse:
    decision = place.request.POST.get("decision", "")
    deciding.decide(place.actor, place.bank, proposal, decision)
    undo_url = place.url("proposal-undo", proposal) if decision != "skip" else ""
    return _done(place, _SAID.get(decision, "Decided."), undo_url)


@require_POST
@screen
def undo(place: Place, proposal: str) -> HttpResponse:
    deciding.undo_decision(place.actor, place.bank, proposal)
    return go(
        place.request, back(place.request, place.url("review")), "The decision is taken back."
    )


@require_POST
@screen
def decide_merge(place: Place, proposal: str) -> HttpResponse:
    """Whether two entities are one."""
    decision = place.request.POST.get("decision", "")
    decided = {"accept": consolidating.accept, "reject": consolidating.reject}.get(decision)
    if decided is None:
        with acting_as(place.actor):
            merges.find(resolve(place.actor, place.bank), proposal)
        raise _unknown(decision, "accept, reject")
    decided(place.actor, place.bank, proposal)
    said = "The two are one now." if decision == "accept" else "They stay two, for good."
    return _done(place, said, place.url("entity-question-undo", proposal))


@require_POST
@screen
def undo_merge(place: Place, proposal: str) -> HttpResponse:
    consolidating.undo(place.actor, place.bank, proposal)
    return go(
        place.request, back(place.request, place.url("review")), "The decision is taken back."
    )


@require_POST
@screen
def decide_pin(place: Place, memory: str) -> HttpResponse:
    """Whether an old pin still holds."""
    decision = place.request.POST.get("decision", "")
    actor, bank = place.actor, place.bank
    if decision == "confirm":
        memories.confirm_pin(actor, bank, memory)
        return _done(place, "The pin stays.", place.url("pin-question-undo", memory))
    if decision == "unpin":
        memories.unpin(actor, bank, memory)
        return _done(place, "Unpinned.", place.url("pin-question-undo", memory))
    if decision == "retire":
        memories.retire(actor, bank, memory, reason="an old pin that no longer holds")
        return _done(place, "Retired.", place.url("pin-question-undo", memory))
    with acting_as(actor):
        find(resolve(actor, bank), memory)
    raise _unknown(decision, "confirm, unpin, retire")


@require_POST
@screen
def undo_pin(place: Place, memory: str) -> HttpResponse:
    """Put the memory back to where it was: live and pinned, and its pin as old as before."""
    with acting_as(place.actor):
        found = find(resolve(place.actor, place.bank), memory)
    if found.retired_at is None:
        memories.undo_pin(place.actor, place.bank, memory)
    else:
        memories.revive(place.actor, place.bank, memory)
        memories.pin(place.actor, place.bank, memory)
    return go(
        place.request, back(place.request, place.url("review")), "The decision is taken back."
    )


def _queue(access: Access, kind: str, after: str | None) -> Queue:
    """The page of one sort by its own keyset; of all sorts the newest of each."""
    after = after if after and is_id("mem" if kind == "pins" else "prop", after) else None
    limit = PAGE if kind else EACH
    reviews: list[Review] = []
    merging: list[MergeReview] = []
    pins: list[Memory] = []
    older: str | None = None
    if kind in {"", *_QUESTIONS}:
        page = proposals.list_open(access, kind=kind or None, after=after, limit=limit)
        reviews, older = page.items, page.next_after
    if kind in {"", "entities"}:
        found, older = merges.reviews(access, after=after, limit=limit)
        merging = [one for one in found if one.stands]
    if kind in {"", "pins"}:
        pins = review.stale_pins(access, limit=limit + 1, after=after)
        if len(pins) > limit:
            pins, older = pins[:limit], pins[limit - 1].id
    return Queue(reviews=reviews, merging=merging, pins=pins, older=older if kind else None)


def _newer(page: Queue, shown: list[str], still: set[str]) -> int:
    """How many of the first page aren't shown and stand above what is, or anywhere once all is settled."""
    ids = [
        *(one.proposal.id for one in page.reviews),
        *(one.proposal.id for one in page.merging),
        *(memory.id for memory in page.pins),
    ]
    lowest: dict[str, str] = {}
    for one in still:
        sort = one.partition("_")[0]
        lowest[sort] = min(one, lowest.get(sort, one))
    return sum(
        one not in shown and (not still or one > lowest.get(one.partition("_")[0], one))
        for one in ids
    )


def _counts(base: str, kind: str, waiting: review.Waiting) -> dict[str, Any]:
    """How much waits, wherever the page of that kind says it."""
    tabs = (
        ("", f"All {waiting.total or ''}"),
        ("contradiction", f"Contradictions {waiting.contradictions or ''}"),
        ("duplicate", f"Repeats {waiting.duplicates or ''}"),
        ("retirement", f"Retirements {waiting.retirements or ''}"),
        ("entities", f"Entities {waiting.entities or ''}"),
        ("pins", f"Old pins {waiting.pins or ''}"),
    )
    return {
        "kind": kind,
        "tabs": filters.tabs(base, {}, "kind", tabs, current=kind),
        "total": waiting.total,
        "more": _more(base, kind, waiting),
        "all_matching": _number(waiting, kind),
    }


def _more(base: str, kind: str, waiting: review.Waiting) -> list[filters.Tab]:
    """On the page of all: where the rest of a sort is."""
    if kind:
        return []
    sorts = (
        ("contradiction", "contradictions", waiting.contradictions),
        ("duplicate", "repeats", waiting.duplicates),
        ("retirement", "retirements", waiting.retirements),
        ("entities", "entities", waiting.entities),
        ("pins", "old pins", waiting.pins),
    )
    return [
        filters.Tab(
            label=f"All {number} {label}",
            url=filters.address(base, {"kind": value}),
            current=False,
        )
        for value, label, number in sorts
        if number > EACH
    ]


def _number(waiting: review.Waiting, kind: str) -> int:
    """How many questions of one kind wait; 0 on a page of several."""
    counts = {
        "contradiction": waiting.contradictions,
        "duplicate": waiting.duplicates,
        "retirement": waiting.retirements,
        "entities": waiting.entities,
        "pins": waiting.pins,
    }
    return counts.get(kind, 0)


def _people(found: Queue, sides: list[Memory]) -> set[str]:
    asked = {one.proposal.created_by for one in found.reviews}
    asked |= {one.proposal.created_by for one in found.merging}
    return asked | {memory.author for memory in sides}


def _readers(served: dict[str, list[review.Reader]]) -> set[str]:
    return {reader.actor for readers in served.values() for reader in readers}


def _done(place: Place, text: str, undo_url: str) -> HttpResponse:
    """A toast in place of the question, and what waits now; without scripts back to the queue."""
    if place.request.htmx:
        with acting_as(place.actor):
            waiting = review.waiting(resolve(place.actor, place.bank))
        asked_on = QueryDict(urlsplit(place.request.htmx.current_url or "").query)
        counts = _counts(place.url("review"), _kind(asked_on), waiting)
        template = "dashboard/review/counts.html"
        return toast(place.request, text, undo=undo_url, template=template, decided=True, **counts)
    return go(place.request, place.url("review"), text, undo=undo_url)


def _kind(query: QueryDict) -> str:
    kind = query.get("kind", "")
    return kind if kind in KINDS else ""


def _unknown(decision: str, choices: str) -> InvalidArgument:
    return InvalidArgument(
        f"decision is {decision!r:.40}.", hint=f"Choose one of {choices}.", field="decision"
    )
