"""Who may store what: asked before anything is embedded, and all in one message."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from accounts.actor import Actor
from accounts.questions import Question, Row
from accounts.tenancy import acting_as, ask
from memory_app.domain.hashing import dedupe_key
from memory_app.domain.ids import to_uuid
from memory_app.domain.text import CONTENT_LIMIT, clean
from memory_app.providers.clock import now
from memory_app.queries.access import (
    Access,
    access_from,
    access_question,
    bank_column,
    bank_named,
    resolve,
)
from memory_app.queries.usage import today_from, today_question
from memory_app.services import usage

# Two halves, since live and retired memories have an index each.
_SAME_TEXT = """
SELECT id, dedupe_key, retired_at FROM memories
WHERE bank_id = {bank} AND dedupe_key = ANY(%(keys)s) AND deleted_at IS NULL AND retired_at IS NULL
UNION ALL
SELECT id, dedupe_key, retired_at FROM memories
WHERE bank_id = {bank} AND dedupe_key = ANY(%(keys)s) AND deleted_at IS NULL
  AND retired_at IS NOT NULL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """What must be known before anything is embedded: the access, the cap, and whether the texts are
    stored already. A door may ask it ahead, along with the key that brings the text.
    """

    bank: str
    keys: frozenset[str]
    moment: datetime
    answers: Sequence[list[Row]] = ()

    def questions(self, actor: Actor) -> list[Question]:
        return [
            access_question(actor, self.bank),
            today_question(actor, self.moment),
            Question(
                sql=_SAME_TEXT.format(bank=bank_named(self.bank)),
                values={"keys": list(self.keys)},
                repeats=True,
            ),
        ]

    def answered(self, answers: Sequence[list[Row]]) -> Admission:
        return replace(self, answers=answers)

    def serves(self, bank: str, keys: Collection[str]) -> bool:
        """Whether the answers are there, and to this."""
        return bool(self.answers) and self.bank == bank and self.keys == keys


def admission(bank: str, content: Any) -> Admission:
    """What the saving of one plain statement will ask first. Raises what refuses its bank or text."""
    bank_column(bank)
    text = clean(content, field="content", limit=CONTENT_LIMIT, least=1)
    return Admission(bank=bank, keys=frozenset((dedupe_key(text),)), moment=now())


def admitted(
    actor: Actor,
    bank: str | None,
    keys: Collection[str],
    admission: Admission | None,
    *,
    room: int,
) -> tuple[Access, set[str]]:
    """The actor's access, and which texts are stored already. One message, unless it was sent before.

    Raises `NotFound`, `TierInsufficient`, `DailyCapReached`.
    """
    bank = bank if bank is not None else _only_bank(actor)
    if admission is None or not admission.serves(bank, keys):
        admission = Admission(bank=bank, keys=frozenset(keys), moment=now())
        admission = admission.answered(ask(actor, *admission.questions(actor)))
    access, used, same = admission.answers
    found = access_from(actor, access)
    found.require("read_write")
    usage.require_room(actor, room, today_from(used, admission.moment))
    return found, {key for _, key, retired_at in same if retired_at is None}


def _only_bank(actor: Actor) -> str:
    with acting_as(actor):
        return str(resolve(actor, None).bank.id)


def same_text(keys: Collection[str], bank: str) -> Question:
    """Which of the texts are stored in the bank of that id, live or retired."""
    values = {"keys": list(keys), "bank": to_uuid("bank", bank)}
    return Question(sql=_SAME_TEXT.format(bank="%(bank)s"), values=values, repeats=True)
