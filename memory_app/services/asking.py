"""What an agent may not do itself but may ask for: retiring, replacing or merging memories (A19, F4).

Nothing changes before a person decides in the review queue. An agent never decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.domain.text import clean
from memory_app.models import Memory, Proposal
from memory_app.queries import proposals
from memory_app.queries.access import resolve
from memory_app.queries.memories import find
from memory_app.queries.proposals import Review
from memory_app.services.ledger import Book, opened
from memory_app.services.proposing import pair_key, propose

Wish = Literal["retire", "replace", "merge"]
WISHES: tuple[str, ...] = get_args(Wish)
REASON_LIMIT = 300
# So many of one asker's questions may wait in a bank: people have to answer them one by one.
OPEN_LIMIT = 100

_KINDS = {
    "retire": Proposal.Kind.RETIREMENT,
    "replace": Proposal.Kind.CONTRADICTION,
    "merge": Proposal.Kind.DUPLICATE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The open question; `made` is False where the same one waited already."""

    review: Review
    made: bool


def ask(
    actor: Actor,
    bank: str | None,
    *,
    wish: str,
    memory: str,
    other: str | None = None,
    reason: object,
) -> Asked:
    """Ask people to retire `memory`, to let `other` replace it, or to merge `other` into it.

    Needs `read_write`. Each memory by id or slug, and live. Asking the same again is asking once.
    Raises `InvalidArgument`, `NotFound`, and `Conflict` for a memory that isn't live, for what a person
    has decided before, and above 100 open questions of the asker.
    """
    said = clean(reason, field="reason", limit=REASON_LIMIT, least=1, lines=False)
    if wish not in WISHES:
        raise InvalidArgument(
            f"action is {wish!r:.40}.", hint=f"Choose one of {', '.join(WISHES)}.", field="action"
        )
    if (wish == "retire") == bool(other):
        raise InvalidArgument(
            "A retirement is about one memory."
            if other
            else f"Without another memory there is nothing to {wish}.",
            hint="Leave other out." if other else "Name the other memory in other.",
            field="other",
        )
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("read_write")
        with opened(access) as book:
            old = _live(book, memory, "memory")
            new = _live(book, other, "other") if other else old
            if other and old.id == new.id:
                raise InvalidArgument(
                    "Both are the same memory.", hint="Name another one in other.", field="other"
                )
            return _open(book, _KINDS[wish], old, new, said)


def _open(book: Book, kind: str, old: Memory, new: Memory, reason: str) -> Asked:
    mine = Proposal.objects.filter(bank_id=book.bank.id, status=Proposal.Status.OPEN)
    waiting = mine.filter(created_by=book.access.actor.id).count()
    standing = _standing(book, kind, old, new)
    if standing is not None:
        return Asked(review=standing, made=False)
    if waiting >= OPEN_LIMIT:
        raise Conflict(
            f"{waiting} questions of yours wait in this bank, which is the limit.",
            hint="Ask again when people have decided some of them.",
            details={"limit": OPEN_LIMIT},
        )
    row = propose(
        book,
        kind=kind,
        old=old,
        new=new,
        confidence=1.0,
        evidence={"reason": reason},
        created_by=book.access.actor.id,
    )
    if row is None:
        row = Proposal.objects.get(
            bank_id=book.bank.id, kind=kind, pair_key=pair_key(old.id, new.id)
        )
        raise Conflict(
            "A person has decided about this before; it isn't asked again.",
            hint="Leave it, or talk to the people who look after this bank.",
            details={"proposal": row.id, "status": row.status, "decision": row.decision},
        )
    return Asked(review=Review(proposal=row, old=old, new=new), made=True)


def _standing(book: Book, kind: str, old: Memory, new: Memory) -> Review | None:
    """The same question, if it is open and about the words of today."""
    row = Proposal.objects.filter(
        bank_id=book.bank.id,
        kind=kind,
        pair_key=pair_key(old.id, new.id),
        status=Proposal.Status.OPEN,
    ).first()
    if row is None:
        return None
    found = proposals.find(book.access, row.id)
    if not proposals.holds(found):
        return None
    if row.old_memory_id != old.id:
        raise Conflict(
            "The opposite question about these two memories is open.",
            hint="Wait for a person's decision about it.",
            details={"proposal": row.id},
        )
    return found


def _live(book: Book, reference: str, field: str) -> Memory:
    memory = find(book.access, reference)
    if memory.retired_at is not None or memory.deleted_at is not None:
        state = "in the bin" if memory.deleted_at is not None else "retired already"
        raise Conflict(
            f"{memory.id} is {state}.", hint="Ask about memories that are live.", field=field
        )
    return memory
