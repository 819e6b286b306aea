"""Links between two memories as people draw them, and take away again."""

from __future__ import annotations

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.models import Link
from memory_app.queries.access import resolve
from memory_app.queries.connections import find_link
from memory_app.queries.memories import find
from memory_app.services import ledger

# What a person may state; the others are made by the system or say that one replaced the other.
TYPES = ("references", "parent_of", "derived_from", "contradicts")


def add_link(
    actor: Actor, bank: str | None, *, source: str, target: str, type: str
) -> tuple[Link, bool]:
    """Link two memories, each by id or slug; False where the link was there. Needs `full`."""
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        with ledger.opened(access) as book:
            start = find(access, source)
            _refuse_unknown(type)
            end = find(access, target)
            if start.id == end.id:
                raise InvalidArgument(
                    "A memory can't be linked to itself.",
                    hint="Name another memory.",
                    field="target",
                )
            if start.deleted_at or end.deleted_at:
                raise Conflict("A memory in the bin can't be linked.", hint="Restore it first.")
            ends = {"source_id": start.id, "target_id": end.id, "type": type}
            known = Link.objects.filter(bank_id=access.bank.id, until=None, **ends).first()
            if known is not None:
                return known, False
            link = Link(
                organization_id=access.bank.organization_id,
                bank_id=access.bank.id,
                actor=actor.id,
                created_at=book.moment,
                **ends,
            )
            link.since = book.append(
                "link", start.id, content={"link": link.id, "type": type, "target": end.id}
            )
            book.pending.add(link)
        return link, True


def _refuse_unknown(type: str) -> None:
    if type not in TYPES:
        raise InvalidArgument(
            f"type is {type!r:.40}.", hint=f"Choose one of {', '.join(TYPES)}.", field="type"
        )


def remove_link(actor: Actor, bank: str | None, link_id: str) -> Link:
    """End a link. Needs `full`; raises `NotFound` when there is no live one."""
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        with ledger.opened(access) as book:
            link = find_link(access, link_id, live=True)
            link.until = book.append(
                "unlink", str(link.source_id), content={"link": link.id, "type": link.type}
            )
            Link.objects.filter(bank_id=access.bank.id, id=link.id).update(until=link.until)
        return link


def restore_link(actor: Actor, bank: str | None, link_id: str) -> Link:
    """Draw a link again that was taken away, as a new one. Raises `NotFound`."""
    with acting_as(actor):
        access = resolve(actor, bank)
        gone = find_link(access, link_id, live=False)
    link, _ = add_link(
        actor, bank, source=str(gone.source_id), target=str(gone.target_id), type=gone.type
    )
    return link
