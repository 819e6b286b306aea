"""How two models of one bank answer the same questions: what a person looks at before the switch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Unavailable
from memory_app.models import Bank, Memory, Recall, Reembedding
from memory_app.providers.embedding import embed_cached, get_embedder
from memory_app.queries.access import resolve
from memory_app.queries.reembedding import nearest_by

QUESTIONS = 5
HITS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One question with the memories that each model finds, nearest first."""

    question: str
    own: tuple[tuple[Memory, float], ...]
    other: tuple[tuple[Memory, float], ...]

    @property
    def shared(self) -> int:
        """How many both models find."""
        return len({memory.id for memory, _ in self.own} & {memory.id for memory, _ in self.other})


def compare(actor: Actor, bank: str) -> tuple[Compared, ...]:
    """The last questions that agents asked, else the newest texts; nothing without a second model.

    By vectors alone, without words and freshness. Empty when an embedder is down.
    """
    with acting_as(actor):
        found = resolve(actor, bank).bank
        row = Reembedding.objects.filter(bank_id=found.id).first()
        questions = _questions(found) if row else []
    if row is None or not questions:
        return ()
    try:
        own = embed_cached(get_embedder(found.embedding_model), questions, "query", timeout=10)
        other = embed_cached(get_embedder(row.model), questions, "query", timeout=10)
    except Unavailable:
        return ()
    with acting_as(actor):
        if resolve(actor, found.id).bank.embedding_model != found.embedding_model:
            return ()
        pairs = [
            (
                nearest_by(found, mine, other=None, limit=HITS),
                nearest_by(found, theirs, other=row.model, limit=HITS),
            )
            for mine, theirs in zip(own, other, strict=True)
        ]
        texts = _memories(found, pairs)
    return tuple(
        Compared(
            question=question,
            own=tuple((texts[i], score) for i, score in mine if i in texts),
            other=tuple((texts[i], score) for i, score in theirs if i in texts),
        )
        for question, (mine, theirs) in zip(questions, pairs, strict=True)
    )


def _questions(bank: Bank) -> list[str]:
    asked = Recall.objects.filter(bank_id=bank.id).exclude(query="").order_by("-id")
    texts = list(dict.fromkeys(asked.values_list("query", flat=True)[:50]))[:QUESTIONS]
    if texts:
        return texts
    newest = Memory.objects.filter(bank_id=bank.id, retired_at=None, deleted_at=None)
    return [row.content[:120] for row in newest.order_by("-created_at")[:QUESTIONS]]


def _memories(
    bank: Bank, pairs: Sequence[tuple[list[tuple[str, float]], list[tuple[str, float]]]]
) -> dict[str, Memory]:
    wanted = {memory_id for pair in pairs for hits in pair for memory_id, _ in hits}
    rows = Memory.objects.filter(bank_id=bank.id, id__in=wanted)
    return {str(row.id): row for row in rows}
