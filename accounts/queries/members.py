"""Pages of people, for organizations of any size."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.actor import Actor
from accounts.models import Membership


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberPage:
    """People in the order they joined, and where the next page starts; None on the last one."""

    items: tuple[Membership, ...]
    next_cursor: str | None


def page(actor: Actor, *, after: str | None = None, limit: int = 50) -> MemberPage:
    """One query, with `user` loaded. Raises `WrongIdPrefix` when `after` is no membership's id."""
    rows = Membership.objects.filter(organization_id=actor.organization_id)
    rows = rows.select_related("user").order_by("id")
    if after is not None:
        rows = rows.filter(id__gt=after)
    found = tuple(rows[: limit + 1])
    items = found[:limit]
    return MemberPage(items=items, next_cursor=items[-1].id if len(found) > limit else None)
