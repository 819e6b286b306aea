"""What was done in a bank: the ledger, its proof, and the activity of agents and people."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from memory_app.queries import feed
from memory_app.queries import ledger as queries
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.parsing import refuse_reversed
from memory_app.rest.replies import entry_reply, event_reply, present
from memory_app.rest.serializers.logs import (
    ActivityIn,
    ActivityPageOut,
    LedgerListIn,
    LedgerPageOut,
    VerificationOut,
)
from memory_app.services import ledger


class Ledger(Endpoint):
    @operation(
        "list_ledger",
        "Every change of the bank, newest first",
        query=LedgerListIn,
        answer=LedgerPageOut,
        group="ledger",
    )
    def get(self, call: Call, bank: str) -> Body:
        def rows(filters: dict[str, Any], after: Any, limit: int) -> Any:
            refuse_reversed(filters, "created_from", "created_to")
            with call.reading(bank) as access:
                where = queries.LedgerFilter(**filters)
                page = queries.page(access, where, after=after, limit=limit)
            items = [entry_reply(entry, page.contents.get(entry.seq)) for entry in page.entries]
            return items, page.next_after

        return call.page("entries", rows, of=f"ledger {bank}")


class Verify(Endpoint):
    @operation(
        "verify_ledger",
        "Recompute the chain: nothing was changed, removed or reordered",
        answer=VerificationOut,
        group="ledger",
    )
    def get(self, call: Call, bank: str) -> Body:
        return present(**asdict(ledger.verify(call.actor, bank)))


class Activity(Endpoint):
    @operation(
        "list_activity",
        "What was searched for and what was changed, newest first",
        query=ActivityIn,
        answer=ActivityPageOut,
        group="ledger",
    )
    def get(self, call: Call, bank: str) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            where = feed.FeedFilter(kind=filters.get("kind", ""), who=filters.get("actor", ""))
            with call.reading(bank) as access:
                page = feed.feed(access, where, after=after or "", limit=limit)
            return [event_reply(event) for event in page.events], page.older

        return call.page("events", rows, of=f"activity {bank}")
