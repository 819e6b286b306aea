"""What is done to one entity from its page or the graph's panel; each can be taken back."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpResponse
from django.views.decorators.http import require_POST

from accounts.tenancy import acting_as
from dashboard.answers import back, go, local
from dashboard.place import Place, screen
from memory_app.domain.errors import InvalidArgument, NotFound
from memory_app.domain.names import NAME_LIMIT
from memory_app.domain.values import Draft, EntityDraft, RelationDraft
from memory_app.queries.access import resolve
from memory_app.queries.entities import find
from memory_app.services import consolidating, entities, memories
from memory_app.services.entities import Changed

_NOTHING = "Nothing was different."
SAMPLE = Draft(
    content=(
        "Maya leads the Atlas project. Atlas runs on the Helsinki cluster, which Omar maintains. "
        "Omar reports to Maya."
    ),
    tags=("sample",),
    source="sample",
    entities=(
        EntityDraft(name="Maya", type="person", description="Leads the Atlas project."),
        EntityDraft(name="Omar", type="person", description="Maintains the Helsinki cluster."),
        EntityDraft(name="Atlas", type="project", description="A project of the sample."),
        EntityDraft(name="Helsinki cluster", type="system", description="Where Atlas runs."),
    ),
    relations=(
        RelationDraft(source="Maya", type="leads", target="Atlas"),
        RelationDraft(source="Atlas", type="runs on", target="Helsinki cluster"),
        RelationDraft(source="Omar", type="maintains", target="Helsinki cluster"),
        RelationDraft(source="Omar", type="reports to", target="Maya"),
    ),
)


@require_POST
@screen
def change(place: Place, entity: str) -> HttpResponse:
    """Name, type and description; a field that the form doesn't have stays."""
    given = {
        name: place.request.POST[name]
        for name in ("name", "type", "description")
        if name in place.request.POST
    }
    changed = entities.change(place.actor, place.bank, entity, entities.parse_changes(**given))
    return _done(place, changed, "Changed. The old name still leads here.")


@require_POST
@screen
def alias(place: Place, entity: str) -> HttpResponse:
    """Add an alias, or remove one."""
    name = place.request.POST.get("name", "")
    if place.request.POST.get("remove"):
        return _done(
            place, entities.remove_alias(place.actor, place.bank, entity, name), "Alias removed."
        )
    return _done(place, entities.add_alias(place.actor, place.bank, entity, name), "Alias added.")


@require_POST
@screen
def merge(place: Place, entity: str) -> HttpResponse:
    """Another entity goes into this one."""
    variant = place.request.POST.get("variant", "")
    with acting_as(place.actor):
        find(resolve(place.actor, place.bank), entity)
    try:
        merged = consolidating.merge(place.actor, place.bank, canonical=entity, variant=variant)
    except NotFound:
        raise InvalidArgument(
            f"There is no entity called {variant[:NAME_LIMIT]}.",
            hint="Choose one from the list, or write its name as its page does.",
            field="variant",
        ) from None
    kept = merged.canonical.id
    url = back(place.request, place.url("entity", kept))
    undo_url = _undoing(place.url("entity-unmerge", kept, merged.proposal.id), url)
    said = f"{merged.variant.name} went into {merged.canonical.name}."
    return go(place.request, url, said, undo=undo_url)


@require_POST
@screen
def unmerge(place: Place, entity: str, proposal: str) -> HttpResponse:
    consolidating.undo(place.actor, place.bank, proposal)
    return go(place.request, _undone(place, entity), "The two are apart again.")


@require_POST
@screen
def split(place: Place, entity: str) -> HttpResponse:
    """The ticked memories are about another entity."""
    form = place.request.POST
    parted = entities.split(
        place.actor,
        place.bank,
        entity,
        name=form.get("name", ""),
        memories=form.getlist("memory"),
        join=form.get("join") == "1",
    )
    other = parted.other.name if parted.other else ""
    return _done(place, parted, f"Moved to {other}.")


@require_POST
@screen
def undo(place: Place, entity: str, watermark: int) -> HttpResponse:
    entities.undo(place.actor, place.bank, entity, watermark)
    return go(place.request, _undone(place, entity), "Taken back.")


@require_POST
@screen
def sample(place: Place) -> HttpResponse:
    """One memory that names four entities, as an agent writes it."""
    saved = memories.save(place.actor, place.bank, SAMPLE)
    return go(
        place.request,
        place.url("graph"),
        "A sample of four entities is in the bank.",
        undo=place.url("memory-delete", saved.memory.id),
    )


def _done(place: Place, changed: Changed, said: str) -> HttpResponse:
    """Back to where the form stood; the toast undoes."""
    url = back(place.request, place.url("entity", changed.entity.id))
    if changed.watermark is None:
        return go(place.request, url, _NOTHING)
    undo_url = place.url("entity-undo", changed.entity.id, str(changed.watermark))
    return go(place.request, url, said, undo=_undoing(undo_url, url))


def _undoing(undo_url: str, shown: str) -> str:
    """The toast's address, which remembers what it was shown on: the graph's view or the page."""
    return f"{undo_url}?{urlencode({'next': shown})}"


def _undone(place: Place, entity: str) -> str:
    page = back(place.request, place.url("entity", entity))
    return local(place.request, place.request.GET.get("next", ""), page)
