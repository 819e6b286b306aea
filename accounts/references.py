"""How a caller names an object: by prefixed id, or by slug."""

from __future__ import annotations

from django.db.models import Q

from memory_app.domain.ids import is_id, refuse_other_kind


def by_id_or_slug(prefix: str, reference: str) -> Q:
    """The filter for one object. Raises `WrongIdPrefix` when the id of another kind is given.

    What can't be stored (NUL, half a surrogate pair) matches nothing.
    """
    if is_id(prefix, reference):
        return Q(id=reference)
    refuse_other_kind(prefix, reference)
    return Q(slug=reference) if reference.isprintable() else Q(pk__in=[])
