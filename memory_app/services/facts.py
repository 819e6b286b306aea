"""Facts: what is believed about a question or a name, now or then (D4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from accounts.actor import Actor
from accounts.questions import Question
from memory_app.domain.errors import InvalidArgument
from memory_app.models import PendingDocument
from memory_app.queries.access import Access, resolve
from memory_app.queries.documents import any_waiting_question, waiting
from memory_app.queries.facts import FactRow, asserted_question, facts_from, facts_then
from memory_app.recall.values import Filters, Hit, Query, Result
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
    when absent. The search's messages and statements, and two more statements; one more message where
    documents wait.
    """
    newest = digest or not text.strip()
    asked = Query(
        text=None if newest else text,
        mode="recent" if newest else "hybrid",
        limit=limit,
        filters=Filters(about=tuple(about)),
        as_of=as_of,
    )

    def queue(access: Access) -> Access:
        return access if queue_of in (None, access.bank.id) else resolve(actor, queue_of)

    def beside(access: Access, result: Result) -> tuple[Question, Question]:
        at = None if as_of is None else result.watermark
        stated = asserted_question(access, [hit.memory for hit in result.hits], at=at)
        return stated, any_waiting_question(queue(access))

    def told(access: Access, answer: recalling.Answer) -> FactsAnswer:
        hits = answer.result.hits
        stated, ((any_waiting,),) = answer.beside
        found = [hit.memory for hit in hits]
        facts = (
            facts_from(found, stated)
            if as_of is None
            else facts_then(access, found, stated, at=answer.result.watermark)
        )
        shown = waiting(queue(access), limit=WAITING_SHOWN).documents if any_waiting else ()
        return FactsAnswer(
            facts=tuple(Believed(fact=row, hit=hit) for row, hit in zip(facts, hits, strict=True)),
            waiting=shown,
            dropped=answer.result.dropped,
            recall_id=answer.recall_id,
        )

    return recalling.answering(actor, bank, asked, told, beside=beside)


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
