"""What saving many drafts would do, by the same look-ups and the same plan, with nothing written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.closest import Closest, as_stored
from memory_app.domain.values import Draft
from memory_app.models import Bank, Memory
from memory_app.providers.judging import Verdict
from memory_app.queries.access import Access, resolve
from memory_app.queries.neighbours import BankVectors
from memory_app.services.memories import comparing
from memory_app.services.memories.comparing import NEIGHBOURS, Unjudged, VerdictKey
from memory_app.services.memories.embedding import Prepared, embed, key_of, prepare
from memory_app.services.memories.saving import Held, worth_embedding
from memory_app.writing.plan import Candidate, pairs_to_judge

# Pairs that one dry run asks the judge about; beyond them a contradiction isn't looked for.
JUDGED_PAIRS = 3_000
_ITEM = "item:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """The fate of one draft: `created`, `known`, `near_duplicate` or `conflicting` (created beside
    what it contradicts). `other` is the memory it meets, `earlier` the number of an earlier draft.
    """

    outcome: str
    other: str | None = None
    text: str = ""
    earlier: int | None = None
    retired: bool = False


@dataclass(slots=True)
class Earlier:
    """The drafts of one import so far, of which later ones may be repeats; 1.6 KB a draft."""

    keys: dict[str, int] = field(default_factory=dict)
    judged: int = 0
    held: Held = field(default_factory=lambda: Held(bank=BankVectors()))
    _texts: dict[int, str] = field(default_factory=dict)
    _vectors: Closest[int] = field(default_factory=Closest)
    # Those of the present call.
    _own: Closest[int] = field(default_factory=Closest)

    def add(self, number: int, item: Prepared) -> None:
        if item.key is not None:
            self.keys.setdefault(item.key, number)
        if item.vectors is None or not item.whole or not item.draft.compared:
            return
        vector = as_stored(item.vectors[:1])
        self._vectors.add([number], vector)
        self._own.add([number], vector)
        self._texts[number] = item.draft.content

    def against(self, prepared: Sequence[Prepared], *, least: float) -> list[list[Candidate]]:
        """For each draft of a new call those of the calls before; one product for all of them."""
        self._own = Closest()
        asked = [item.vectors[0] for item in prepared if item.vectors is not None and item.whole]
        if not asked or not self._texts:
            return [[] for _ in prepared]
        best = self._vectors.best(as_stored(np.stack(asked)), limit=NEIGHBOURS, least=least)
        return [
            self._candidates(next(best)) if item.vectors is not None and item.whole else []
            for item in prepared
        ]

    def near(self, vector: np.ndarray, *, least: float) -> list[Candidate]:
        """Those of the present call at or above `least`, best first."""
        best = self._own.best(as_stored(vector[np.newaxis]), limit=NEIGHBOURS, least=least)
        return self._candidates(next(best))

    def _candidates(self, found: Sequence[tuple[int, float]]) -> list[Candidate]:
        return [
            Candidate(memory_id=f"{_ITEM}{number}", text=self._texts[number], cosine=cosine)
            for number, cosine in found
        ]


class _Nothing:
    def near(self, vector: np.ndarray, *, least: float) -> list[Candidate]:
        return []


def foresee(
    actor: Actor,
    bank: str | None,
    drafts: Sequence[tuple[int, Draft]],
    earlier: Earlier,
) -> list[Foreseen]:
    """The fates of up to 500 numbered drafts; `earlier` learns them. Needs `read_write`.

    Costs what saving costs but for the writing: one batch of embedding, two reading transactions
    that lock nothing, and a verdict for each pair that might contradict.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("read_write")
        live, retired = _stored(access, [key_of(draft) for _, draft in drafts])
    prepared = prepare(access.bank, [draft for _, draft in drafts])
    new = [item for item in prepared if item.key is None or item.key not in earlier.keys]
    held = earlier.held
    embed(access.bank, worth_embedding(new, live), known=held.vectors, patient=held.patient)
    with acting_as(actor):
        near = comparing.candidates(access.bank, prepared, held=held.bank)
    verdicts = _verdicts(access.bank, prepared, near, earlier)
    before = earlier.against(prepared, least=comparing.bars_of(access.bank).related)
    found = []
    for index, (item, (number, _)) in enumerate(zip(prepared, drafts, strict=True)):
        fate = _exact(item, live, retired, earlier)
        if fate is None:
            known = comparing.closest([*near[index], *before[index]])
            plan = comparing.plan(access.bank, index, item, known, earlier, verdicts, judge=False)
            if plan.known_as is not None:
                fate = _near(plan.known_as, [*known, *_own(item, earlier)])
            else:
                fate = _conflict(access.bank, index, item, near[index], verdicts)
        if fate.outcome in ("created", "conflicting"):
            earlier.add(number, item)
        found.append(fate)
    return found


def _stored(
    access: Access, keys: Sequence[str | None]
) -> tuple[dict[str, Memory], dict[str, Memory]]:
    """Live and retired memories that say the very same. Two queries, since each have their index."""
    same = Memory.objects.filter(
        bank_id=access.bank.id,
        dedupe_key__in={key for key in keys if key is not None},
        deleted_at=None,
    )
    live = same.filter(retired_at=None)
    retired = same.filter(retired_at__isnull=False)
    return {str(row.dedupe_key): row for row in live}, {str(row.dedupe_key): row for row in retired}


def _exact(
    item: Prepared, live: dict[str, Memory], retired: dict[str, Memory], earlier: Earlier
) -> Foreseen | None:
    if item.key is None:
        return None
    known = live.get(item.key) or retired.get(item.key)
    if known is not None:
        return Foreseen(
            outcome="known",
            other=known.id,
            text=known.content,
            retired=known.retired_at is not None,
        )
    if item.key in earlier.keys:
        return Foreseen(outcome="known", earlier=earlier.keys[item.key])
    return None


def _own(item: Prepared, earlier: Earlier) -> list[Candidate]:
    return [] if item.vectors is None else earlier.near(item.vectors[0], least=0.5)


def _near(known_as: str, candidates: Sequence[Candidate]) -> Foreseen:
    text = next((one.text for one in candidates if one.memory_id == known_as), "")
    if known_as.startswith(_ITEM):
        return Foreseen(
            outcome="near_duplicate", earlier=int(known_as.removeprefix(_ITEM)), text=text
        )
    return Foreseen(outcome="near_duplicate", other=known_as, text=text)


def _conflict(
    bank: Bank,
    index: int,
    item: Prepared,
    near: Sequence[Candidate],
    verdicts: dict[VerdictKey, Verdict],
) -> Foreseen:
    """Whether saving it by hand would have replaced something, or asked a person."""
    plan = comparing.plan(bank, index, item, near, _Nothing(), verdicts, judge=True)
    doubts = [doubt.memory_id for doubt in plan.queue if doubt.kind == "contradiction"]
    met = [*plan.retire, *doubts]
    if plan.known_as is not None or not met:
        return Foreseen(outcome="created")
    text = next((one.text for one in near if one.memory_id == met[0]), "")
    return Foreseen(outcome="conflicting", other=met[0], text=text)


def _verdicts(
    bank: Bank, prepared: Sequence[Prepared], near: Sequence[list[Candidate]], earlier: Earlier
) -> dict[VerdictKey, Verdict]:
    bars = comparing.bars_of(bank)
    wanted = []
    for index, item in enumerate(prepared):
        for candidate in pairs_to_judge(item.draft.content, near[index], bars)[:2]:
            if earlier.judged >= JUDGED_PAIRS:
                break
            earlier.judged += 1
            wanted.append(
                Unjudged(
                    key=(index, candidate.memory_id, candidate.head_watermark),
                    pair=comparing.pair_of(candidate, item),
                )
            )
    return dict(comparing.judged(bank, wanted)) if wanted else {}
