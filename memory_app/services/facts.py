"""Facts: what is believed about a question or a name, now or then (D4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from accounts.actor import Actor
from memory_app.domain.errors import InvalidArgument
from memory_app.models import PendingDocument
from memory_app.queries.access import Access, resolve
from memory_app.queries.documents import waiting
from memory_app.queries.facts import FactRow, as_facts
from memory_app.recall.values import Filters, Hit, Query
from memory_app.services import recalling

WAITING_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Believed:
    """A fact with its place in the answer."""

    fact: FactRow
    hit: Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsAnswer:
    """What is believed, best first, and the documents that nobody has taken in yet."""

    facts: tuple[Believed, ...]
    waiting: tuple[PendingDocument, ...]
    dropped: Mapping[str, int]
    recall_id: str


def query(
    actor: Actor,
    bank: str | None,
    *,
    text: str,
    limit: int,
    about: Sequence[str] = (),
    digest: bool = False,
    as_of: datetime | None = None,
    queue_of: str | None = None,
) -> FactsAnswer:
    """Search the facts of a bank; with `digest`, or without a text, the newest ones.

    Only a search counts against the daily cap. `queue_of` is the bank whose documents wait, this one
    when absent. The search's statements, and two more.
    """
    newest = digest or not text.strip()
    asked = Query(
        text=None if newest else text,
        mode="recent" if newest else "hybrid",
        limit=limit,
        filters=Filters(about=tuple(about)),
        as_of=as_of,
    )

    def told(access: Access, answer: recalling.Answer) -> FactsAnswer:
        hits = answer.result.hits
        facts = as_facts(access, [hit.memory for hit in hits])
        queue = access if queue_of in (None, access.bank.id) else resolve(actor, queue_of)
        return FactsAnswer(
            facts=tuple(Believed(fact=row, hit=hit) for row, hit in zip(facts, hits, strict=True)),
            waiting=waiting(queue, limit=WAITING_SHOWN).documents,
            dropped=answer.result.dropped,
            recall_id=answer.recall_id,
        )

    return recalling.answering(actor, bank, asked, told)


def parse_instant_seconds(value: object, *, name: str = "as_of") -> datetime | None:
    """An instant from unix seconds. Raises `InvalidArgument`."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 2**35:
        raise InvalidArgument(
            f"{name} must be a time in unix seconds, not {value!r:.40}.",
            hint=f"Send {name} as for example 1796000000.",
            field=name,
        )
    return datetime.fromtimestamp(value, tz=UTC)
