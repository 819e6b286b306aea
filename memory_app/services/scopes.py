"""Which bank a call of the facts means: the connection's, or the agent's own."""

from __future__ import annotations

from accounts.actor import Actor
from memory_app.domain.errors import InvalidArgument
from memory_app.services.banks import own_bank

SCOPES = ("shared", "solo")


def bank_of(actor: Actor, bank: str, scope: object) -> str:
    """The bank itself for `shared`; for `solo` the agent's own, made at its first use."""
    if scope not in SCOPES:
        raise InvalidArgument(
            f"scope is {scope!r:.40}.", hint="Send 'shared' or 'solo'.", field="scope"
        )
    return bank if scope == "shared" else own_bank(actor)
