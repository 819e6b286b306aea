from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET

from accounts.queries.names import known_names, names_of
from accounts.tenancy import acting_as
from dashboard.answers import show
from dashboard.forms.graphing import SIZES, GraphQuery, parse_graph
from dashboard.http import wants_part
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters import graph as presenting
from dashboard.presenters.entities import (
    authors_in,
    present_facts,
    present_neighbours,
    present_rows,
)
from memory_app.domain.errors import InvalidArgument, NotFound, ProductError
from memory_app.queries import entities
from memory_app.queries.paths import Path
from memory_app.queries.sidebar import load_sidebar
from memory_app.services import pictures, seeing

PAGE = "dashboard/graph/index.html"
FACTS = 12
CANDIDATES = 12
_CHIPS = {
    "type": "type",
    "relation": "relation",
    "author": "by",
    "since": "from",
    "until": "to",
    "as_of": "as of",
}


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """The picture's frame and everything of it as a list, so that it works without a canvas (D11)."""
    try:
        wanted = parse_graph(place.request.GET)
        return _shown(place, wanted)
    except ProductError as error:
        if error.status in {403, 404}:
            raise
        return _frame(place, GraphQuery(), {"problem": error}, status=422)


@require_GET
@gzip_page
@screen
def data(place: Place) -> HttpResponse:
    """What the canvas draws, for the same address. 5,000 entities: some 600 kB, 200 compressed."""
    try:
        wanted = parse_graph(place.request.GET)
    except InvalidArgument as error:
        return JsonResponse({"problem": error.message}, status=422)
    path, _ = _path(place, wanted)
    picture = _drawn(place, wanted, path)
    return JsonResponse(
        presenting.present_canvas(picture, path), json_dumps_params={"separators": (",", ":")}
    )


def _shown(place: Place, wanted: GraphQuery) -> HttpResponse:
    path, problem = _path(place, wanted)
    picture = _drawn(place, wanted, path)
    base, given = place.url("graph"), wanted.given
    context: dict[str, Any] = {
        "listed": presenting.present_list(picture, base, given),
        "clusters": presenting.present_clusters(picture, base, given),
        "components": presenting.count_components(picture),
        "shown": len(picture.overview.nodes),
        "edges": len(picture.overview.edges),
        "total": picture.overview.total,
        # With filters fewer than all are shown without any being left out.
        "truncated": wanted.nodes <= len(picture.overview.nodes) < picture.overview.total,
        "edges_cut": picture.overview.edges_cut,
        "path": presenting.present_path(path, base, given) if path is not None else None,
        "path_problem": problem,
        "path_off_url": filters.address(base, presenting.without(given, ["to"])),
    }
    if wanted.chosen:
        context["panel"] = _panel(place, wanted)
    return _frame(place, wanted, context)


def _drawn(place: Place, wanted: GraphQuery, path: Path | None) -> pictures.Picture:
    also = dict.fromkeys(
        [*([wanted.select] if wanted.select else []), *(path.entities if path else ())]
    )
    return pictures.draw(place.actor, place.bank, view=wanted.view(*also), as_of=wanted.as_of)


def _path(place: Place, wanted: GraphQuery) -> tuple[Path | None, str]:
    """The path asked for, or why there is none."""
    if not (wanted.to and wanted.chosen):
        return None, ""
    source = wanted.focus or wanted.select
    try:
        found = pictures.find_path(place.actor, place.bank, source, wanted.to, as_of=wanted.as_of)
    except NotFound:
        return None, f"There is no entity called {wanted.to}."
    return found, "" if found else f"No chain of at most six relationships leads to {wanted.to}."


def _panel(place: Place, wanted: GraphQuery) -> dict[str, Any]:
    seen = seeing.see(place.actor, place.bank, wanted.chosen, as_of=wanted.as_of, limit=FACTS)
    with acting_as(place.actor):
        names = names_of(place.actor, authors_in(seen))
    base, given, entity = place.url("graph"), wanted.given, seen.entity
    expand = ",".join(dict.fromkeys([*wanted.expand, entity.id]))
    neighbours = present_neighbours(entity, seen.relationships)
    return {
        "seen": seen,
        "entity": entity,
        "facts": present_facts(place, seen.facts.facts, names),
        "neighbours": [
            {"of": one, "url": filters.address(base, {**given, "select": one.id})}
            for one in neighbours
        ],
        "url": place.url("entity", entity.id),
        "heir_url": filters.address(base, presenting.instead(given, entity.id, seen.heir.id))
        if seen.heir is not None
        else "",
        "focus_url": filters.address(
            base, presenting.without(given, ["select", "expand", "to"]) | {"focus": entity.id}
        ),
        "expand_url": filters.address(base, {**given, "expand": expand, "select": entity.id}),
        "expanded": entity.id in wanted.expand,
        "focused": entity.id == wanted.focus,
        "change_url": place.url("entity-change", entity.id),
        "merge_url": place.url("entity-merge", entity.id),
        "split_url": place.url("entity-split", entity.id),
        "kept": presenting.without(given, ["to"]),
        "off_url": filters.address(base, presenting.without(given, ["select"])),
    }


def _frame(
    place: Place, wanted: GraphQuery, context: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        access = sidebar.access
        nothing_yet = entities.is_empty(access)
        # The filters' choices stand outside the part; counting them reads the whole bank.
        whole = not wants_part(place.request)
        kinds = entities.types_of(access) if whole else []
        relations = entities.relations_of(access) if whole else []
        authors = known_names(place.actor)
        found = entities.best_named(access, wanted.q, limit=CANDIDATES) if wanted.q else []
        aliases = entities.alias_names(access, [one.id for one in found])
        focus = entities.by_ids(access, [wanted.focus]).get(wanted.focus)
    base, given = place.url("graph"), wanted.given
    bank = access.bank
    full = {
        "heading": "Graph",
        "section": "graph",
        "query": wanted,
        "given": given,
        "q": wanted.q,
        "candidates": present_rows(place, found, aliases),
        "nothing_yet": nothing_yet,
        "kinds": kinds,
        "relations": relations,
        "authors": authors,
        "sizes": SIZES,
        "focus": focus,
        "graph_url": base,
        "entities_url": place.url("entities"),
        "data_url": place.url("graph-data"),
        "whole_url": filters.address(
            base, presenting.without(given, ["focus", "depth", "expand", "select", "to"])
        ),
        "applied": filters.chips(
            base, given, _CHIPS, {"author": {each.id: each.name for each in authors}}
        ),
        "hidden": [(name, given[name]) for name in ("focus", "expand", "select") if name in given],
        "begins": int(bank.created_at.timestamp()),
        "ends": int(datetime.now(UTC).timestamp()),
        "bank_id": bank.id,
        "sample_url": place.url("entity-sample"),
    }
    return show(place, sidebar, PAGE, full | dict(context), part="side", status=status)
