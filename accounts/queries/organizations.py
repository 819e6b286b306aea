"""The organization that a caller belongs to."""

from __future__ import annotations

from accounts.actor import Actor
from accounts.models import Organization
from accounts.tenancy import acting_as


def is_own(actor: Actor, reference: str) -> bool:
    """Whether an id or slug names the actor's organization. One query, where it isn't the id."""
    if reference == actor.organization_id:
        return True
    with acting_as(actor):
        rows = Organization.objects.filter(id=actor.organization_id)
        return reference.isprintable() and rows.filter(slug=reference).exists()
