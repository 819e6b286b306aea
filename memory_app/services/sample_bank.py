"""A bank for a first look: a fictional team's memories with something of everything."""

from __future__ import annotations

from accounts.actor import JUDGE, Actor
from accounts.queries.people import lock_standing
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict
from memory_app.domain.observing import parse_observation
from memory_app.domain.values import Draft, parse_draft
from memory_app.models import Bank, Proposal
from memory_app.queries.access import resolve, visible_banks
from memory_app.services import banks, ledger, memories
from memory_app.services.proposing import propose
from memory_app.services.sample_texts import (
    ABOUT,
    DOUBTS,
    MEMORIES,
    NAME,
    OBSERVATIONS,
    PINNED,
    REPLACED,
)

SOURCE = "sample"


def is_sample(bank: Bank) -> bool:
    """Whether the bank is still what `make_sample` made."""
    return bank.name == NAME and bank.description == ABOUT


def make_sample(actor: Actor) -> Bank:
    """The sample bank, made unless the actor sees one; about thirty operations of the cap.

    Members may; of two clicks one makes it. It goes like every bank: into the bin, and from there for good.
    """
    known: list[Bank] = []

    def refuse_second() -> None:
        lock_standing(actor)
        known.extend(visible_banks(actor).filter(name=NAME, description=ABOUT)[:1])
        if known:
            raise Conflict("The sample bank is there already.", hint="Open it.")

    try:
        bank = banks.create_bank(actor, name=NAME, description=ABOUT, first=refuse_second)
    except Conflict:
        if not known:
            raise
        return known[0]
    _fill(actor, bank)
    return bank


def _fill(actor: Actor, bank: Bank) -> None:
    plain = [_draft(**each) for each in MEMORIES]
    pairs = [text for old, new, _ in REPLACED for text in (old, new)]
    doubts = [text for old, new, _ in DOUBTS for text in (old, new)]
    observations = [parse_observation(each, default_source=SOURCE) for each in OBSERVATIONS]
    drafts = [*observations, *plain, *(_draft(content=text) for text in (*pairs, *doubts))]
    saved = [one.memory for one in memories.save_many(actor, bank.id, drafts)]
    stated = saved[len(observations) :]
    for number in PINNED:
        memories.pin(actor, bank.id, stated[number].id)
    replaced = stated[len(plain) : len(plain) + len(pairs)]
    for number, (_, _, reason) in enumerate(REPLACED):
        old, new = replaced[2 * number : 2 * number + 2]
        memories.retire(actor, bank.id, old.id, reason=reason, superseded_by=new.id)
    unsure = stated[len(plain) + len(pairs) :]
    with acting_as(actor):
        access = resolve(actor, bank.id)
        with ledger.opened(access) as book:
            for number, (_, _, confidence) in enumerate(DOUBTS):
                old, new = unsure[2 * number : 2 * number + 2]
                propose(
                    book,
                    kind=Proposal.Kind.CONTRADICTION,
                    old=old,
                    new=new,
                    confidence=confidence,
                    evidence={"judge": SOURCE, "found_by": SOURCE},
                    created_by=JUDGE,
                )


def _draft(**fields: object) -> Draft:
    return parse_draft(**fields, default_source=SOURCE)  # type: ignore[arg-type]
