"""Who may store what: asked before anything is stored, and all in one message.

While the message is under way a single short text is embedded already, by a thread that is free.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from accounts.actor import Actor
from accounts.questions import Question, Row
from accounts.tenancy import acting_as, ask
from memory_app.domain.errors import Unavailable
from memory_app.domain.hashing import dedupe_key
from memory_app.domain.ids import to_uuid
from memory_app.domain.text import CONTENT_LIMIT, TITLE_LIMIT, clean, clean_label
from memory_app.providers.clock import now
from memory_app.providers.embedding import get_embedder
from memory_app.providers.embedding.sharing import Ahead, embed_ahead
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
from memory_app.services.memories.embedding import embedded_text

# Characters. A longer text may not fit into one cell, and then it's embedded in parts.
_SHORT = 1_000
# Two halves, since live and retired memories have an index each.
_SAME_TEXT = """
SELECT id, dedupe_key, retired_at FROM memories
WHERE bank_id = {bank} AND dedupe_key = ANY(%(keys)s) AND deleted_at IS NULL AND retired_at IS NULL
UNION ALL
SELECT id, dedupe_key, retired_at FROM memories
WHERE bank_id = {bank} AND dedupe_key = ANY(%(keys)s) AND deleted_at IS NULL
  AND retired_at IS NOT NULL
"""


@dataclass(slots=True, kw_only=True)
class Admission:
    """What must be known before anything is stored: the access, the cap, and whether the texts are
    stored already. A door may ask it ahead, along with the key that brings the text.
    """

    bank: str
    keys: frozenset[str]
    moment: datetime
    # What will have to be embedded, where that is one text.
    text: str = ""
    answers: Sequence[list[Row]] = ()
    ahead: Ahead | None = None

    def begin(self) -> None:
        """Begin the embedding, unless it is under way or nobody is free for it."""
        if self.ahead is None and 0 < len(self.text) <= _SHORT:
            self.ahead = _begun(self.text)

    def questions(self, actor: Actor) -> list[Question]:
        """To be sent at once: the embedding begins at the latest here, and takes longer than the
        answers.
        """
        self.begin()
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


def admission(bank: str, content: Any, title: Any = None) -> Admission:
    """What the saving of one plain statement will ask first. Raises what refuses its bank or text."""
    bank_column(bank)
    text = clean(content, field="content", limit=CONTENT_LIMIT, least=1)
    label = clean_label(title, field="title", limit=TITLE_LIMIT) or ""
    return Admission(
        bank=bank,
        keys=frozenset((dedupe_key(text),)),
        moment=now(),
        text=embedded_text(label, text),
    )


def admitted(
    actor: Actor,
    bank: str | None,
    keys: Collection[str],
    admission: Admission | None,
    *,
    room: int,
    text: str = "",
) -> tuple[Access, set[str], Ahead | None]:
    """The actor's access, which texts are stored already, and what is being embedded of `text`. One
    message, unless it was sent before.

    Raises `NotFound`, `TierInsufficient`, `DailyCapReached`.
    """
    bank = bank if bank is not None else _only_bank(actor)
    if admission is None or not admission.serves(bank, keys):
        admission = Admission(bank=bank, keys=frozenset(keys), moment=now(), text=text)
        admission = admission.answered(ask(actor, *admission.questions(actor)))
    access, used, same = admission.answers
    found = access_from(actor, access)
    found.require("read_write")
    usage.require_room(actor, room, today_from(used, admission.moment))
    stored = {key for _, key, retired_at in same if retired_at is None}
    return found, stored, admission.ahead


def _begun(text: str) -> Ahead | None:
    """By the server's default model, which most banks have; the bank isn't known yet."""
    try:
        return embed_ahead(get_embedder(), text)
    except Unavailable:
        return None  # the bank's own may answer all the same


def _only_bank(actor: Actor) -> str:
    with acting_as(actor):
        return str(resolve(actor, None).bank.id)


def same_text(keys: Collection[str], bank: str) -> Question:
    """Which of the texts are stored in the bank of that id, live or retired."""
    values = {"keys": list(keys), "bank": to_uuid("bank", bank)}
    return Question(sql=_SAME_TEXT.format(bank="%(bank)s"), values=values, repeats=True)
