"""Banks as far as access needs them; their model is reached through the relation to it."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from accounts.actor import Actor
from accounts.models import Connection
from accounts.references import by_id_or_slug
from accounts.roles import holds
from memory_app.domain.errors import NotFound


def seen_banks(actor: Actor, prefix: str = "") -> Q:
    """The filter for banks a person sees: shared ones and its own; administrators see all.

    `prefix` is the path to the bank (`bank__`). Agents don't manage access and aren't asked here.
    """
    if holds(actor, "admin"):
        return Q()
    shared = Q(**{f"{prefix}visibility": "organization"})
    return shared | Q(**{f"{prefix}created_by": actor.id})


def find_bank_id(actor: Actor, reference: str) -> str:
    """By id or slug. Raises `NotFound`, alike for an unknown bank and one that can't be seen."""
    banks: Any = Connection._meta.get_field("bank").related_model
    rows = banks.objects.filter(organization_id=actor.organization_id, deleted_at=None)
    found = (
        rows.filter(seen_banks(actor), by_id_or_slug("bank", reference)).values_list("id").first()
    )
    if found is None:
        raise NotFound("bank")
    return str(found[0])
