from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from accounts.queries.names import names_of
from accounts.tenancy import acting_as
from dashboard.answers import go, show
from dashboard.forms.graphing import EntityListQuery, parse_entities, parse_moment
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.entities import (
    authors_in,
    present_changes,
    present_facts,
    present_merges,
    present_neighbours,
    present_rows,
)
from memory_app.domain.errors import ProductError
from memory_app.queries import entities
from memory_app.queries.sidebar import load_sidebar
from memory_app.services import seeing

LIST = "dashboard/entities/index.html"
PAGE = "dashboard/entities/entity.html"
FACTS = 30
_ORDERS = (("", "Most connected"), ("name", "By name"), ("newest", "Newest"))


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """Every entity of the bank by keyset; eight queries, whatever it holds."""
    problem: ProductError | None = None
    wanted = EntityListQuery()
    try:
        wanted = parse_entities(place.request.GET)
        return _listed(place, wanted, None)
    except ProductError as error:
        if error.status in {403, 404}:
            raise
        problem = error
    return _listed(place, EntityListQuery(), problem)


def _listed(place: Place, wanted: EntityListQuery, problem: ProductError | None) -> HttpResponse:
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        page = entities.list_page(
            sidebar.access, text=wanted.q, kind=wanted.type, order=wanted.order, after=wanted.after
        )
        kinds = entities.types_of(sidebar.access)
        nothing_yet = not page.entities and entities.is_empty(sidebar.access)
    base, given = place.url("entities"), wanted.given
    context = {
        "heading": "Entities",
        "section": "entities",
        "problem": problem,
        "rows": present_rows(place, page.entities, page.aliases),
        "q": wanted.q,
        "type": wanted.type,
        "order": "" if wanted.order == "degree" else wanted.order,
        "kinds": kinds,
        "tabs": filters.tabs(base, given, "order", _ORDERS, current=given.get("order", "")),
        "entities_url": base,
        "graph_url": place.url("graph"),
        "older_url": filters.address(base, given | {"after": page.older}) if page.older else "",
        "newer_url": filters.address(base, given) if wanted.after else "",
        "nothing_yet": nothing_yet,
        "sample_url": place.url("entity-sample"),
    }
    return show(place, sidebar, LIST, context, part="results", status=422 if problem else 200)


@require_GET
@screen
def entity(place: Place, entity: str) -> HttpResponse:
    """One entity over time. What was merged away leads to where it went."""
    return entity_page(place, entity, {})


def entity_page(
    place: Place, entity_id: str, extra: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """The page with `extra` on top. Some twenty queries, whatever the entity holds."""
    query = place.request.GET
    as_of, ended = parse_moment(query), query.get("facts") == "all"
    seen = seeing.see(
        place.actor,
        place.bank,
        entity_id,
        as_of=as_of,
        ended=ended and as_of is None,
        after=query.get("after", ""),
        limit=FACTS,
    )
    if seen.heir is not None and as_of is None and not query.get("gone"):
        return go(place.request, place.url("entity", seen.heir.id))
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
        names = names_of(place.actor, authors_in(seen))
    base = place.url("entity", seen.entity.id)
    given = {"as_of": query.get("as_of", ""), "facts": "all" if ended else ""}
    context = {
        "heading": seen.entity.name,
        "section": "entities",
        "entity": seen.entity,
        "seen": seen,
        "made_by": names[seen.entity.created_by],
        "facts": present_facts(place, seen.facts.facts, names),
        "neighbours": [
            {"of": one, "url": place.url("entity", one.id)}
            for one in present_neighbours(seen.entity, seen.relationships)
        ],
        "changes": present_changes(place, seen.entity, seen.story, names),
        "merges": present_merges(place, seen.entity, seen.story),
        "heir_url": place.url("entity", seen.heir.id) if seen.heir else "",
        "as_of": query.get("as_of", ""),
        "tabs": filters.tabs(
            base,
            {"as_of": given["as_of"]},
            "facts",
            (("", "Now" if as_of is None else "Then"), ("all", "All time")),
            current=given["facts"],
        )
        if as_of is None
        else (),
        "entity_url": base,
        "entities_url": place.url("entities"),
        "graph_url": filters.address(
            place.url("graph"), {"focus": seen.entity.id, "as_of": given["as_of"]}
        ),
        "older_url": filters.address(base, given | {"after": seen.facts.older})
        if seen.facts.older
        else "",
        "newer_url": filters.address(base, given) if query.get("after") else "",
        "change_url": place.url("entity-change", seen.entity.id),
        "alias_url": place.url("entity-alias", seen.entity.id),
        "merge_url": place.url("entity-merge", seen.entity.id),
        "split_url": place.url("entity-split", seen.entity.id),
        "editable": as_of is None and seen.entity.until is None,
    }
    return show(place, sidebar, PAGE, context | extra, status=status)
