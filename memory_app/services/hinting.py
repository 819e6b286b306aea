"""Typing stored facts whose own sentence states a cause: extraction done late, on an operator's word.

Never part of a write. What it would type is a list of suggestions, each with the words it rests on;
writing them and taking exactly these back are changes of the bank with an entry of its ledger each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.causes import StatedCause, has_connective, stated_cause
from memory_app.models import Assertion, LedgerContent, LedgerEntry
from memory_app.queries.access import resolve
from memory_app.services import ledger

BATCH = 500
WRITTEN, TAKEN_BACK = "causal_hint", "causal_hint_clear"


class Reader(Protocol):
    """Reads the cause that a text states between two names."""

    @property
    def id(self) -> str: ...

    def read(self, text: str, source: str, target: str) -> StatedCause | None: ...


class WordReader:
    """By the connectives alone; no model."""

    id = "words"

    def read(self, text: str, source: str, target: str) -> StatedCause | None:
        return stated_cause(text, source, target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A fact without a hint, the hint its sentence states, and the words of it that say so."""

    assertion_id: str
    memory_id: str
    source: str
    target: str
    hint: str
    quote: str
    reader: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggested:
    """`facts` without a hint were looked through, `read` of them hold a connective."""

    suggestions: tuple[Suggestion, ...]
    facts: int
    read: int


def suggest(actor: Actor, bank: str | None, reader: Reader) -> Suggested:
    """Read every live fact without a hint, in batches; nothing is changed. Needs `full`.

    A fact without a connective never reaches the reader. Raises `Unavailable` when the reader is.
    """
    suggestions: list[Suggestion] = []
    facts = read = 0
    for batch in _untyped(actor, bank):
        facts += len(batch)
        for row in batch:
            text = row.memory.content
            if not has_connective(text):
                continue
            read += 1
            source, target = row.relationship.source.name, row.relationship.target.name
            stated = reader.read(text, source, target)
            if stated is None or stated.quote not in text:
                continue
            suggestions.append(
                Suggestion(
                    assertion_id=row.id,
                    memory_id=str(row.memory_id),
                    source=source,
                    target=target,
                    hint=stated.hint,
                    quote=stated.quote,
                    reader=reader.id,
                )
            )
    return Suggested(suggestions=tuple(suggestions), facts=facts, read=read)


def write(actor: Actor, bank: str | None, suggestions: Sequence[Suggestion]) -> int:
    """Type these facts; how many. Needs `full`.

    A fact that was typed, retired or reworded since is left alone. One transaction of 500.
    """
    written = 0
    for start in range(0, len(suggestions), BATCH):
        part = suggestions[start : start + BATCH]
        with acting_as(actor):
            access = resolve(actor, bank)
            access.require("full")
            with ledger.opened(access) as book:
                live = Assertion.objects.filter(
                    bank_id=book.bank.id,
                    id__in=[one.assertion_id for one in part],
                    until=None,
                    causal_hint="",
                ).select_related("memory")
                rows = {row.id: row for row in live}
                for one in part:
                    row = rows.get(one.assertion_id)
                    if row is None or one.quote not in row.memory.content:
                        continue
                    book.append(
                        WRITTEN,
                        one.memory_id,
                        reason=f"{one.hint.replace('_', ' ')}, by the words of the fact",
                        content={
                            "hint": one.hint,
                            "quote": one.quote,
                            "relationship": str(row.relationship_id),
                            "reader": one.reader,
                        },
                    )
                    _type(book, row, one.hint)
                    written += 1
    return written


def clear(actor: Actor, bank: str | None, *, dry_run: bool = False) -> int:
    """Take back every hint that was written late and still stands; how many. Needs `full`.

    Hints that a writer gave with its fact stay. Reads the bank's ledger by operation.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        with ledger.opened(access) as book:
            hints = _written_late(book)
            rows = Assertion.objects.filter(
                bank_id=book.bank.id, memory_id__in=list(hints), until=None
            ).order_by("id")
            taken = [row for row in rows if row.causal_hint == hints[str(row.memory_id)]]
            for row in () if dry_run else taken:
                book.append(TAKEN_BACK, str(row.memory_id), reason="the operator cleared it")
                _type(book, row, "")
    return len(taken)


def _untyped(actor: Actor, bank: str | None) -> Iterator[list[Assertion]]:
    """Live facts without a hint, in batches of one query each."""
    after: str | None = None
    while True:
        with acting_as(actor):
            access = resolve(actor, bank)
            access.require("full")
            rows = (
                Assertion.objects.filter(bank_id=access.bank.id, until=None, causal_hint="")
                .exclude(confidence="")
                .filter(memory__retired_at=None, memory__deleted_at=None)
                .select_related("memory", "relationship__source", "relationship__target")
                .order_by("id")
            )
            batch = list((rows if after is None else rows.filter(id__gt=after))[:BATCH])
        if not batch:
            return
        yield batch
        after = batch[-1].id


def _written_late(book: ledger.Book) -> dict[str, str]:
    """The hint that was last written late to each fact, without those taken back since."""
    entries = LedgerEntry.objects.filter(
        bank_id=book.bank.id, operation__in=(WRITTEN, TAKEN_BACK)
    ).order_by("seq")
    contents = dict(
        LedgerContent.objects.filter(
            bank_id=book.bank.id, seq__in=entries.values("seq")
        ).values_list("seq", "content")
    )
    hints: dict[str, str] = {}
    for entry in entries:
        if entry.operation == WRITTEN and "hint" in contents.get(entry.seq, {}):
            hints[entry.target] = contents[entry.seq]["hint"]
        else:
            hints.pop(entry.target, None)
    return hints


def _type(book: ledger.Book, row: Assertion, hint: str) -> None:
    Assertion.objects.filter(bank_id=book.bank.id, id=row.id).update(causal_hint=hint)
