from __future__ import annotations

import json
from collections.abc import Iterator

from django.http import HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_GET, require_POST

from accounts.queries.names import known_names, names_of
from accounts.tenancy import acting_as
from dashboard.answers import go, show
from dashboard.forms.following import parse_entries
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.ledger import present_check, present_entries, present_entry
from dashboard.presenters.operations import known_operations, words_of
from memory_app.domain.ids import is_id
from memory_app.queries import ledger as queries
from memory_app.queries.access import resolve
from memory_app.queries.memories import find_many
from memory_app.queries.sidebar import load_sidebar
from memory_app.queries.targets import names_of_targets
from memory_app.rest.replies import entry_reply
from memory_app.services import ledger_checks

PAGE = 50
BATCH = 1_000
_CHIPS = {"action": "action", "who": "by", "target": "about", "since": "from", "until": "to"}


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """Every change of the bank, newest first, and whether the chain holds. Nine queries, and one
    for each kind of thing other than memories that was changed.
    """
    wanted = parse_entries(place.request.GET)
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        page = queries.page(sidebar.access, wanted.where, after=wanted.after, limit=PAGE)
        check = queries.latest_check(sidebar.access)
        targets = [one.target for one in page.entries if is_id("mem", one.target)]
        memories = find_many(sidebar.access, targets)
        named = names_of_targets(sidebar.access, [one.target for one in page.entries])
        asked_by = {check.asked_by} if check else set()
        names = names_of(place.actor, {one.actor for one in page.entries} | asked_by)
        authors = known_names(place.actor)
    base, given = place.url("ledger"), wanted.given
    labels = {
        "action": {given.get("action", ""): words_of(given.get("action", "")).title},
        "who": {one.id: one.name for one in authors},
    }
    context = {
        "heading": "Ledger",
        "section": "ledger",
        "entries": present_entries(place, page.entries, names, memories, named),
        "head": sidebar.access.bank.head_watermark,
        "check": present_check(place, check, names) if check else None,
        "verify_url": place.url("ledger-verify"),
        "export_url": filters.address(place.url("ledger-export"), given),
        "ledger_url": filters.address(base, given),
        "base_url": base,
        "chips": filters.chips(base, given, _CHIPS, labels),
        "given": given,
        "operations": known_operations(),
        "authors": authors,
        "older_url": filters.address(base, {**given, "after": str(page.next_after)})
        if page.next_after
        else "",
        "newer_url": filters.address(base, given) if wanted.after else "",
    }
    # The panel of the check looks again by itself; the filters ask for the entries alone.
    part = "check" if place.request.htmx.target == "check" else "entries"
    return show(place, sidebar, "dashboard/ledger/index.html", context, part=part)


@require_GET
@screen
def entry(place: Place, seq: int) -> HttpResponse:
    """One entry: what changed, and the hashes that seal it. Nine queries at most."""
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        found, content = queries.entry(sidebar.access, seq)
        memories = find_many(sidebar.access, [found.target] if is_id("mem", found.target) else [])
        named = names_of_targets(sidebar.access, [found.target])
        names = names_of(place.actor, {found.actor})
    context = {
        "heading": f"Entry {seq}",
        "section": "ledger",
        "entry": present_entry(place, found, content, names, memories, named),
        "ledger_url": place.url("ledger"),
        "before_url": place.url("ledger-entry", str(seq - 1)) if seq > 1 else "",
        "after_url": place.url("ledger-entry", str(seq + 1))
        if seq < sidebar.access.bank.head_watermark
        else "",
    }
    return show(place, sidebar, "dashboard/ledger/entry.html", context)


@require_POST
@screen
def verify(place: Place) -> HttpResponse:
    """Ask for a proof of the chain; the page tells when it is there."""
    ledger_checks.start(place.actor, place.bank)
    return go(place.request, place.url("ledger"), "The check has started.")


@require_GET
@screen
def export(place: Place) -> StreamingHttpResponse:
    """The entries that the filters leave, oldest first, a JSON object a line. A batch of 1,000 is in
    memory at a time, and each has a transaction of its own: entries never change.
    """
    wanted = parse_entries(place.request.GET)
    with acting_as(place.actor):
        bank = resolve(place.actor, place.bank).bank
    return StreamingHttpResponse(
        _lines(place, wanted.where),
        content_type="application/jsonl",
        headers={
            "Content-Disposition": f'attachment; filename="ledger-{bank.id}.jsonl"',
            "X-Content-Type-Options": "nosniff",
        },
    )


def _lines(place: Place, where: queries.LedgerFilter) -> Iterator[bytes]:
    above: int | None = 0
    while above is not None:
        lines, above = _batch(place, where, above)
        if lines:
            yield lines


def _batch(place: Place, where: queries.LedgerFilter, above: int) -> tuple[bytes, int | None]:
    with acting_as(place.actor):
        access = resolve(place.actor, place.bank)
        page = queries.ascending(access, where, above=above, limit=BATCH)
    lines = [
        json.dumps(entry_reply(one, page.contents.get(one.seq)), ensure_ascii=False) + "\n"
        for one in page.entries
    ]
    return "".join(lines).encode(), page.next_after
