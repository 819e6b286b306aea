"""No two live memories of a bank say exactly the same: what the database answers to the second one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError

from memory_app.domain.errors import Conflict

REPEAT = "Another live memory of this bank says exactly this by now."
HINT = "Retire that one first, or leave this one as it is."


@contextmanager
def refusing_repeats(
    message: str = REPEAT, *, hint: str = HINT, field: str = "id"
) -> Iterator[None]:
    """Around a whole transaction that makes memories live: a repeat is a `Conflict`, nothing is kept."""
    try:
        yield
    except IntegrityError as error:
        if "memories_dedupe_live" not in str(error):
            raise
        raise Conflict(message, hint=hint, field=field) from error
