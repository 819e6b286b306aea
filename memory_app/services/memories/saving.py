"""Saving: one path for one statement or five hundred, from any door.

Exact repeats are known before anything is embedded. Vectors and verdicts are made outside the
transaction; inside it the bank is locked, the neighbours are read once more, and the plan is
committed with its ledger entries, or nothing is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from accounts.actor import AUTO_LINK, JUDGE, Actor
from accounts.questions import Row
from accounts.tenancy import acting_as
from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import from_uuid
from memory_app.domain.text import fold
from memory_app.domain.values import Draft
from memory_app.models import Memory
from memory_app.providers.judging import Verdict
from memory_app.queries.access import Access
from memory_app.queries.neighbours import BankVectors
from memory_app.queries.proposals import lost
from memory_app.services import ledger, usage
from memory_app.services.graph import indexing
from memory_app.services.graph.resolution import Resolved
from memory_app.services.graph.weaving import Woven
from memory_app.services.jobs import enqueue
from memory_app.services.memories import comparing, relating, storing
from memory_app.services.memories.admitting import Admission, admitted, same_text
from memory_app.services.memories.embedding import (
    Known,
    Prepared,
    embed,
    embedded_text,
    key_of,
    prepare,
)
from memory_app.services.proposing import propose
from memory_app.writing.plan import Candidate, Plan

BATCH_LIMIT = 500
# Rounds of "judge outside, look again inside" before what is still unjudged is left to the
# background.
_ROUNDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What became of one draft. `memory` is the stored one, or the one that already said it."""

    status: str
    memory: Memory
    replaced: tuple[Memory, ...] = ()
    queued: tuple[Memory, ...] = ()
    # What a known memory took over from the draft.
    tags_added: tuple[str, ...] = ()
    # What the call did to the graph; None when it named no entity, or when nothing was made of it.
    woven: Woven | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What calls in a row would each make or read anew: vectors of their texts, those of the bank.

    `patient` where a worker does them and no request waits.
    """

    vectors: Known | None = None
    bank: BankVectors | None = None
    patient: bool = False


@dataclass(slots=True)
class _Batch:
    """One call's work while the bank is locked."""

    book: ledger.Book
    judge: bool
    import_id: str | None
    woven: Woven | None = None
    pending: list[str] = field(default_factory=list)
    wide: list[str] = field(default_factory=list)


def save(
    actor: Actor,
    bank: str | None,
    draft: Draft,
    *,
    judge: bool = True,
    admission: Admission | None = None,
) -> Saved:
    """Save one statement. Needs `read_write`; one operation of the daily cap.

    Raises `NotFound`, `TierInsufficient`, `DailyCapReached`. One message, or none with an answered
    `admission`, then a transaction of three, and another when a verdict of the judge is needed.
    """
    return save_many(actor, bank, [draft], judge=judge, admission=admission)[0]


def save_many(
    actor: Actor,
    bank: str | None,
    drafts: Sequence[Draft],
    *,
    judge: bool = False,
    import_id: str | None = None,
    admission: Admission | None = None,
    also: Callable[[ledger.Book, list[Saved]], None] | None = None,
    meanings: Callable[[ledger.Book], Mapping[str, Resolved]] | None = None,
    held: Held | None = None,
) -> list[Saved]:
    """Save up to 500 drafts in one transaction; each result stands where its draft stood.

    With `judge=False` nothing stored is retired, revived or queued (imports). Each draft is one
    operation of the cap; over it nothing is written. `also` writes what must commit with them.
    `meanings` says, with the bank locked, which entity a name means where that isn't plain; what it
    raises leaves nothing stored. `held` is what a series of calls keeps between them.
    """
    if not 1 <= len(drafts) <= BATCH_LIMIT:
        raise InvalidArgument(
            f"A call saves 1 to {BATCH_LIMIT} memories, not {len(drafts)}.",
            hint="Send them in several calls.",
            field="memories",
        )
    keys = {key for draft in drafts if (key := key_of(draft)) is not None}
    text = embedded_text(drafts[0].title, drafts[0].content) if len(drafts) == 1 else ""
    access, known, ahead = admitted(actor, bank, keys, admission, room=len(drafts), text=text)
    prepared = prepare(access.bank, drafts)
    probes = relating.probes_of(prepared)
    held = held or Held()
    missing, patient = worth_embedding(prepared, known), held.patient
    vectors = embed(
        access.bank, missing, probes=probes, known=held.vectors, ahead=ahead, patient=patient
    )
    if held.bank is not None:
        with acting_as(actor):
            comparing.look_ahead(access.bank, prepared, held.bank)
    questions = [
        same_text(keys, access.bank.id),
        *comparing.near_questions(access.bank, prepared),
    ]
    verdicts: dict[tuple[int, str, int], Verdict] = {}
    for round_number in range(_ROUNDS):
        final = round_number == _ROUNDS - 1
        with ledger.writing(access, *questions) as (book, (same, *near_rows)):
            choices = meanings(book) if meanings is not None else {}
            near = comparing.candidates(book.bank, prepared, near_rows, held.bank)
            unjudged = comparing.unjudged(book.bank, prepared, near, verdicts) if judge else []
            if final or not unjudged:
                batch = _Batch(book=book, judge=judge, import_id=import_id)
                batch.woven = relating.weave(book, prepared, vectors, choices)
                saved = _commit(batch, prepared, near, verdicts, _by_key(access, same))
                if also is not None:
                    also(book, saved)
                return saved
        verdicts.update(comparing.judged(access.bank, unjudged))
    raise AssertionError("the last round always commits")


def _commit(
    batch: _Batch,
    prepared: Sequence[Prepared],
    near: Sequence[list[Candidate]],
    verdicts: dict[tuple[int, str, int], Verdict],
    same: tuple[dict[str, Memory], dict[str, Memory]],
) -> list[Saved]:
    book, access = batch.book, batch.book.access
    live, retired = same
    fresh = comparing.Fresh()
    saved = [
        _save_one(batch, index, item, near[index], verdicts, live, retired, fresh)
        for index, item in enumerate(prepared)
    ]
    late = indexing.unembedded(book) if batch.woven is not None else []
    if late:
        enqueue(access, "index_entities", into=book.pending, entity_ids=late)
    if batch.pending:
        enqueue(access, "index_memories", into=book.pending, memory_ids=batch.pending)
    if batch.wide:
        enqueue(access, "check_contradictions", into=book.pending, memory_ids=batch.wide)
    if batch.woven is not None:
        book.flush()
        relating.settle(book, batch.woven)
    usage.count_operations(access.actor, len(prepared), "write", through=book.flush)
    return saved


def _save_one(
    batch: _Batch,
    index: int,
    item: Prepared,
    near: list[Candidate],
    verdicts: dict[tuple[int, str, int], Verdict],
    live: dict[str, Memory],
    retired: dict[str, Memory],
    fresh: comparing.Fresh,
) -> Saved:
    if item.key is not None and item.key in live:
        return _known(batch, live[item.key], item, reason="exact repeat")
    if item.key is not None and item.key in retired:
        return _returned(batch, retired.pop(item.key), item, live)
    plan = comparing.plan(batch.book.bank, index, item, near, fresh, verdicts, judge=batch.judge)
    if plan.known_as is not None:
        twin = fresh.memory(plan.known_as) or _memory(batch.book, plan.known_as)
        return _known(batch, twin, item, reason=plan.reasons[plan.known_as])
    stated = relating.same_statement(batch.book, item.draft, batch.woven)
    for fact in stated:
        if fold(fact.content) == fold(item.draft.content):
            return _known(batch, fact, item, reason="exact repeat")
    memory = _create(batch, item)
    if item.key is not None:
        live[item.key] = memory
    if item.draft.compared:
        fresh.add(memory, item)
    outdated = relating.relate(batch.book, memory, item.draft, batch.woven, stated)
    for old in outdated:
        live.pop(str(old.dedupe_key), None)
    saved = _carry_out(batch, memory, plan)
    return replace(saved, replaced=(*outdated, *saved.replaced), woven=batch.woven)


def _known(batch: _Batch, memory: Memory, item: Prepared, *, reason: str) -> Saved:
    if batch.book.pending.holds(memory) and set(item.draft.tags) - set(memory.tags):
        batch.book.flush()
    before = set(memory.tags)
    storing.unite_tags_inside(batch.book, memory, item.draft.tags, reason=reason)
    added = tuple(tag for tag in memory.tags if tag not in before)
    relating.name_more(batch.book, memory, item.draft, batch.woven)
    woven = batch.woven if item.draft.fact else None
    return Saved(status="known", memory=memory, tags_added=added, woven=woven)


def _returned(batch: _Batch, memory: Memory, item: Prepared, live: dict[str, Memory]) -> Saved:
    """The outdated text again, word for word: it revives and retires what replaced it (E6).

    A fact retires all that is stated in its place by now (D3). Neither an import nor an agent brings
    back what a person has decided against (F4).
    """
    woven = batch.woven if item.draft.fact else None
    decided = batch.book.access.actor.kind != "user" and lost(batch.book.access, memory)
    if not (batch.judge or item.draft.fact) or decided:
        return Saved(status="known", memory=memory, woven=woven)
    replacement = _replacement(batch.book, memory)
    batch.book.flush()
    stated = relating.same_statement(batch.book, item.draft, batch.woven)
    storing.revive_inside(batch.book, memory, reason="saved again word for word")
    replaced = relating.outdate(batch.book, stated, by=memory)
    if replacement is not None and replacement.id not in {one.id for one in replaced}:
        storing.retire_inside(
            batch.book,
            replacement,
            reason="the statement it had replaced was saved again",
            superseded_by=memory,
            operation="supersede",
        )
        replaced = (*replaced, replacement)
    storing.unite_tags_inside(batch.book, memory, item.draft.tags, reason="saved again")
    live[str(item.key)] = memory
    relating.name_more(batch.book, memory, item.draft, batch.woven)
    return Saved(status="revived", memory=memory, replaced=replaced, woven=woven)


def _create(batch: _Batch, item: Prepared) -> Memory:
    book = batch.book
    memory = storing.new_memory(book, item, import_id=batch.import_id)
    seq = book.append(
        "import" if batch.import_id else "create",
        memory.id,
        content={"content": memory.content, "title": memory.title, "tags": memory.tags},
        counters={
            "cells_added": len(item.cells),
            "cells_re_embedded": 0 if item.vectors is None else len(item.cells),
        },
    )
    memory.created_watermark = memory.head_watermark = seq
    if item.draft.pinned and book.access.allows("full"):
        memory.pinned_at = book.moment
        memory.head_watermark = book.append("pin", memory.id, before=seq)
    book.pending.add(
        memory,
        storing.new_version(memory, actor=memory.author, since=seq, moment=book.moment),
        *storing.new_cells(
            memory, item.cells, item.vectors, since=seq, language=book.bank.text_search
        ),
    )
    if item.vectors is None:
        batch.pending.append(memory.id)
    elif batch.judge:
        batch.wide.append(memory.id)
    return memory


def _carry_out(batch: _Batch, memory: Memory, plan: Plan) -> Saved:
    """Retire, queue and link what the plan says; the new row is inserted first where rows point at
    it.
    """
    if plan.retire or plan.queue:
        batch.book.flush()
    replaced, queued = apply_plan(batch.book, memory, plan)
    if plan.link:
        seq = batch.book.append(
            "graph_link", memory.id, actor=AUTO_LINK, counters={"links": len(plan.link)}
        )
        batch.book.pending.add(
            *(
                storing.add_link(
                    batch.book, memory, target, score=score, actor=AUTO_LINK, since=seq
                )
                for target, score in plan.link
            )
        )
    status = "created" if memory.indexed_at is not None else "pending"
    return Saved(status=status, memory=memory, replaced=replaced, queued=queued)


def apply_plan(
    book: ledger.Book, memory: Memory, plan: Plan
) -> tuple[tuple[Memory, ...], tuple[Memory, ...]]:
    """Retire what the plan replaces and queue what it doubts; both lists of memories."""
    replaced, queued = [], []
    for memory_id in plan.retire:
        old = _memory(book, memory_id)
        storing.retire_inside(
            book,
            old,
            reason=plan.reasons[memory_id],
            actor=JUDGE,
            superseded_by=memory,
            operation="supersede",
        )
        replaced.append(old)
    for doubt in plan.queue:
        old = _memory(book, doubt.memory_id)
        opened = propose(
            book,
            kind=doubt.kind,
            old=old,
            new=memory,
            confidence=doubt.confidence,
            evidence={"judge": "local"},
            created_by=JUDGE,
        )
        if opened:
            queued.append(old)
    return tuple(replaced), tuple(queued)


def worth_embedding(prepared: Sequence[Prepared], known: Collection[str]) -> list[Prepared]:
    """What isn't stored yet word for word. A repeat inside the call is one of them: the first may
    turn out to be a near-duplicate, and then the next is one too.
    """
    return [item for item in prepared if item.key is None or item.key not in known]


def _by_key(access: Access, same: Sequence[Row]) -> tuple[dict[str, Memory], dict[str, Memory]]:
    """Live and retired memories that say the very same; no statement where there are none."""
    ids = [from_uuid("mem", row[0]) for row in same]
    live: dict[str, Memory] = {}
    retired: dict[str, Memory] = {}
    if ids:
        rows = Memory.objects.filter(bank_id=access.bank.id, id__in=ids).order_by("retired_at")
        for row in rows:
            (live if row.retired_at is None else retired)[str(row.dedupe_key)] = row
    return live, {key: row for key, row in retired.items() if key not in live}


def _replacement(book: ledger.Book, memory: Memory) -> Memory | None:
    """What stands in its place now: what replaced it, or what has replaced that since."""
    seen = {memory.id}
    following = memory.superseded_by
    while following is not None and following not in seen:
        seen.add(following)
        row = Memory.objects.filter(bank_id=book.bank.id, id=following, deleted_at=None).first()
        if row is None or row.retired_at is None:
            return row
        following = row.superseded_by
    return None


def _memory(book: ledger.Book, memory_id: str) -> Memory:
    return Memory.objects.get(bank_id=book.bank.id, id=memory_id)
