"""What a person sees while typing: the same recall that answers agents.

A look is no operation of the daily cap and no entry of the read log, since it asks anew with every
few letters; the log keeps what agents asked.
"""

from __future__ import annotations

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.queries.access import resolve
from memory_app.recall import run
from memory_app.recall.values import Query, Result
from memory_app.services.recalling import query_vector


def look(actor: Actor, bank: str, query: Query) -> Result:
    """Recall without counting or logging. Raises `NotFound`."""
    vector = None
    if query.text:
        with acting_as(actor):
            asked = resolve(actor, bank).bank
        vector = query_vector(asked, query.text)
    with acting_as(actor):
        return run(resolve(actor, bank), query, query_vector=vector)
