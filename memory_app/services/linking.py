"""Links between two memories as people draw them, and take away again."""

from __future__ import annotations

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.models import Link
from memory_app.queries.access import Access, resolve
from memory_app.queries.connections import find_link
from memory_app.queries.memories import find
from memory_app.services import ledger


class SelfLoop(InvalidArgument):
    """Both ends of a link are one memory (B6)."""

    code = "self_loop"


class SyntheticEdge(Conflict):
    """What the system observed isn't taken away by hand (B6)."""

    code = "cannot_unlink_synthetic_edge"


class AlreadyLinked(Conflict):
    """The system has observed that the two are near each other (B6)."""

    code = "already_linked_via_synthetic"


# What a person may state; the others are made by the system or say that one replaced the other.
TYPES = ("references", "parent_of", "derived_from", "contradicts")


def add_link(
    actor: Actor,
    bank: str | None,
    *,
    source: str,
    target: str,
    type: str,
    stated_before: bool = False,
) -> tuple[Link, bool]:
    """Link two memories, each by id or slug; False where the link was there. Needs `full`.

    Raises `SelfLoop`, and `AlreadyLinked` for two that the system has linked as near in meaning.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        with ledger.opened(access) as book:
            start = find(access, source)
            _refuse_unknown(type)
            end = find(access, target)
            if start.id == end.id:
                raise SelfLoop(
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
            if not stated_before:
                _refuse_over_synthetic(access, start.id, end.id)
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


def _refuse_over_synthetic(access: Access, source: str, target: str) -> None:
    """Either way round: near is near."""
    both = [source, target]
    found = Link.objects.filter(
        bank_id=access.bank.id,
        until=None,
        type=Link.Type.VECTOR_NEIGHBOR,
        source_id__in=both,
        target_id__in=both,
    ).first()
    if found is not None:
        raise AlreadyLinked(
            "The two are linked already: the system observed that they are near in meaning.",
            hint="That link stands by itself; merge the two, or retire one, if they are one.",
            details={"link": found.id},
        )


def remove_link(actor: Actor, bank: str | None, link_id: str) -> Link:
    """End a link that somebody stated. Needs `full`; raises `NotFound` when there is no live one, and
    `SyntheticEdge` for one of the system's own.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        with ledger.opened(access) as book:
            link = find_link(access, link_id, live=True)
            if link.type == Link.Type.VECTOR_NEIGHBOR:
                raise SyntheticEdge(
                    "The system observed that the two are near in meaning; nobody stated it.",
                    hint="It ends when one of the two is worded otherwise, or deleted.",
                    details={"link": link.id},
                )
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
        actor,
        bank,
        source=str(gone.source_id),
        target=str(gone.target_id),
        type=gone.type,
        stated_before=True,
    )
    return link
