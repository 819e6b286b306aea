"""What a person makes of a proposal (F4). Nobody but a person decides, and every decision can be
taken back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, TierInsufficient
from memory_app.models import Memory, Proposal
from memory_app.queries import proposals
from memory_app.queries.access import Access, resolve
from memory_app.queries.proposals import Page, Review
from memory_app.services.ledger import Book, opened
from memory_app.services.memories import storing, wholesale
from memory_app.services.memories.repeating import refusing_repeats

Decision = Literal["keep_old", "replace", "both_stand", "merge", "retire", "keep", "skip"]
DECISIONS: tuple[str, ...] = get_args(Decision)
# A retirement is about one memory; every other question is about two.
OF_ONE = ("retire", "keep", "skip")
OF_TWO = tuple(one for one in DECISIONS if one not in ("retire", "keep"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The pair as it stands after the decision; `retired` is the memory that went, if one did."""

    review: Review
    retired: Memory | None = None


def list_open(
    actor: Actor,
    bank: str | None,
    *,
    kind: str | None = None,
    after: str | None = None,
    limit: int = 50,
) -> Page:
    """The review queue, newest first. Raises `NotFound` and `InvalidArgument`."""
    with acting_as(actor):
        return proposals.list_open(resolve(actor, bank), kind=kind, after=after, limit=limit)


def decide(actor: Actor, bank: str | None, proposal_id: str, decision: str) -> Decided:
    """Carry out a person's decision on an open proposal.

    `keep_old` retires the new memory, `replace` the old one, `merge` retires the new one and gives
    its tags to the old, `both_stand` closes the question, `skip` leaves it for later; of a memory
    that somebody wants retired, `retire` does so and `keep` closes the question. Raises
    `TierInsufficient` for agents, `InvalidArgument` for what the question doesn't offer, `Conflict`
    when it is decided already or a memory has changed.
    """
    if decision not in DECISIONS:
        raise InvalidArgument(
            f"decision is {decision!r:.40}.",
            hint=f"Choose one of {', '.join(DECISIONS)}.",
            field="decision",
        )
    with _deciding(actor, bank, proposal_id) as book:
        review = proposals.find(book.access, proposal_id)
        _refuse_unless_open(review)
        refuse_unfit(review.proposal.kind, decision)
        if decision == "skip":
            return Decided(review=review)
        if proposals.holds(review):
            return carry_out(book, review, cast(Decision, decision))
        _close(book, review.proposal, Proposal.Status.OBSOLETE, "", actor="")
    raise Conflict(
        "One of the two memories has changed since; the question no longer stands.",
        hint="Reload the queue.",
        details={"status": "obsolete"},
    )


def refuse_unfit(kind: str, decision: str) -> None:
    """Raises `InvalidArgument` where a question of this kind doesn't offer the decision."""
    offered = OF_ONE if kind == Proposal.Kind.RETIREMENT else OF_TWO
    if decision not in offered:
        raise InvalidArgument(
            f"decision is {decision!r:.40}, which a {kind} doesn't offer.",
            hint=f"Choose one of {', '.join(offered)}.",
            field="decision",
        )


def undo_decision(actor: Actor, bank: str | None, proposal_id: str) -> Decided:
    """Take a decision back: what was retired is live again, tags are as before, the question open.

    Raises `Conflict` when there is nothing to undo or the retired memory has changed since.
    """
    with _deciding(actor, bank, proposal_id) as book:
        return undo_inside(book, proposals.find(book.access, proposal_id))


def undo_inside(book: Book, review: Review) -> Decided:
    """Take a decision back inside the bank's open book. Raises `Conflict`, having written nothing."""
    row = review.proposal
    if row.status not in (Proposal.Status.ACCEPTED, Proposal.Status.REJECTED):
        raise Conflict("This proposal has no decision to undo.", hint="Reload the queue.")
    done: dict[str, Any] = row.evidence.get("decided", {})
    sides = {memory.id: memory for memory in (review.old, review.new)}
    back = sides.get(done.get("retired", ""))
    if back is not None:
        _refuse_if_moved_on(back, done)
        wholesale.refuse_repeat(book, back)
    row.evidence.pop("decided", None)
    for memory in sides.values():
        if memory is back:
            storing.revive_inside(book, memory, reason=f"decision on {row.id} undone")
        elif done.get("tags_added"):
            _take_tags(book, memory, done["tags_added"])
    book.append("undo_decision", row.id, content={"decision": row.decision})
    row.status, row.decision, row.decided_by, row.decided_at = "open", "", "", None
    row.save()
    _reopen_others(book.access, done.get("retired"))
    return Decided(review=review)


def close_fallen(actor: Actor, bank: str) -> int:
    """Mark open proposals obsolete whose memories were retired, binned or worded anew."""
    with acting_as(actor):
        access = resolve(actor, bank)
        return proposals.fallen(access).update(status=Proposal.Status.OBSOLETE)


def carry_out(book: Book, review: Review, decision: Decision) -> Decided:
    """Decide a standing question inside the bank's open book."""
    row, old, new = review.proposal, review.old, review.new
    retired: Memory | None = None
    done: dict[str, Any] = {}
    if decision == "merge":
        done["tags_added"] = [tag for tag in new.tags if tag not in old.tags]
        storing.unite_tags_inside(book, old, new.tags, reason=f"merged by decision on {row.id}")
    if decision in ("keep_old", "merge"):
        retired = new
        operation = "merge" if decision == "merge" else "retire"
        reason = "says the same" if decision == "merge" else "the older statement was kept"
        storing.retire_inside(book, new, reason=reason, superseded_by=old, operation=operation)
    elif decision == "replace":
        retired = old
        storing.retire_inside(
            book, old, reason="replaced by decision", superseded_by=new, operation="supersede"
        )
    elif decision == "retire":
        retired = old
        reason = str(row.evidence.get("reason", "")) or "retired by decision"
        storing.retire_inside(book, old, reason=reason[:300])
    if retired is not None:
        done |= {"retired": retired.id, "watermark": retired.head_watermark}
    row.evidence = row.evidence | {"decided": done}
    rejected = decision in ("both_stand", "keep")
    status = Proposal.Status.REJECTED if rejected else Proposal.Status.ACCEPTED
    _close(book, row, status, decision, actor=book.access.actor.id)
    return Decided(review=review, retired=retired)


def _close(
    book: Book, row: Proposal, status: Proposal.Status, decision: str, *, actor: str
) -> None:
    row.status, row.decision = status, decision
    row.decided_by, row.decided_at = actor, book.moment
    row.save()
    if decision:
        book.append("decide", row.id, reason=decision, content={"decision": decision})


def _take_tags(book: Book, memory: Memory, added: list[str]) -> None:
    """Remove the tags that a merge had added and that are still there."""
    before, after = list(memory.tags), [tag for tag in memory.tags if tag not in added]
    if before == after:
        return
    seq = book.append(
        "edit",
        memory.id,
        reason="decision undone",
        before=memory.head_watermark,
        content={"tags_before": before, "tags_after": after},
    )
    memory.tags = after
    storing.write_head(book, memory, seq, fields=["tags"])
    storing.rewrite_words(memory, language=book.bank.text_search)


def _reopen_others(access: Access, memory_id: str | None) -> None:
    """Other questions about the memory that came back stand again, unless their ground is gone."""
    if memory_id is None:
        return
    obsolete = proposals.about(access, memory_id).filter(status=Proposal.Status.OBSOLETE)
    obsolete.update(status=Proposal.Status.OPEN)
    proposals.fallen(access).update(status=Proposal.Status.OBSOLETE)


def _refuse_unless_open(review: Review) -> None:
    if review.proposal.status != Proposal.Status.OPEN:
        raise Conflict(
            f"This proposal is {review.proposal.status} already.",
            hint="Reload the queue, or undo the decision first.",
            details={"status": review.proposal.status, "decision": review.proposal.decision},
        )


def _refuse_if_moved_on(memory: Memory, done: dict[str, Any]) -> None:
    if memory.head_watermark != done["watermark"] or memory.retired_at is None:
        raise Conflict(
            "The memory that this decision retired has changed since.",
            hint="Open the memory and change it there.",
            details={"memory": memory.id},
        )


@contextmanager
def _deciding(actor: Actor, bank: str | None, proposal_id: str) -> Iterator[Book]:
    """The bank's open book, for a person who may change it; what isn't there is `NotFound` first."""
    with refusing_repeats(), acting_as(actor):
        access = resolve(actor, bank)
        if actor.kind != "user":
            proposals.find(access, proposal_id)
            raise TierInsufficient(
                "Only a person decides on a proposal.",
                hint="Ask somebody to look at the review queue in the dashboard.",
            )
        access.require("full")
        with opened(access) as book:
            yield book
