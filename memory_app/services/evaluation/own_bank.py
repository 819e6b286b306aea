"""Recall measured on a bank's own memories, by questions that the bank itself holds the answers to.

Four shapes, each from up to `sample` memories spread evenly over the bank; the same bank gives the
same questions:

- `words`: the rarest words of a text without the very rarest, in their order; sought is that text.
- `pair`: the two names of a fact; sought is any live fact between the two, either way round.
- `entity query`: a retrieval query that a writer gave an entity; sought is any memory naming it.
- `saved`: a query of the read log whose answer a reader said saved it work; sought is that memory.

Only the last one is a question that somebody asked; the others say whether what is stored can be
found at all. Nothing is logged, counted or changed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
import numpy.typing as npt

from accounts.actor import Actor
from accounts.tenancy import acting_as
from memory_app.domain.text import cut
from memory_app.models import Assertion, Entity, Memory, Mention, Recall, RecallSave
from memory_app.providers.embedding import embed_cached, get_embedder
from memory_app.queries.access import Access, resolve
from memory_app.recall import Query, run
from memory_app.recall.packing import count_tokens
from memory_app.recall.values import Filters
from memory_app.services.evaluation.corpora import Question
from memory_app.services.evaluation.metrics import DEPTH, Place, Score, means, score

SAMPLE = 200
WORDS = 5
LEAST_WORDS = 3
NAMES = ("hit@1", "hit@10", "recall@10", "MRR")
DENSE_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)
BUDGETS = (250, 500, 1_000, 2_000, 4_000, 8_000)
SHARES = (8, 4, 2, 1)
_LIMIT = 10
_UNLIMITED = 10_000_000
_WORD = re.compile(r"\w[\w'’.-]*\w|\w")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Averages over `questions`, named as in `NAMES`; None where there is no question."""

    questions: int
    averages: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a recall puts into a prompt against putting in everything.

    `saving` is the share of tokens that the recall leaves out.
    """

    memories: int
    everything: int
    recalled: float
    saving: float
    found: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnBank:
    """`weights` by the share of the vectors in the fusion, `budgets` by tokens."""

    total: Measured
    by_shape: Mapping[str, Measured]
    weights: Mapping[float, Measured] = field(default_factory=dict)
    budgets: Mapping[int, Measured] = field(default_factory=dict)
    context: tuple[Context, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question with its vector, and when the memory that it was made of was stored."""

    question: Question
    vector: npt.NDArray[np.float32]
    created_at: datetime


def evaluate_own_bank(
    actor: Actor,
    bank: str | None,
    *,
    sample: int = SAMPLE,
    context: bool = False,
    sweep: bool = False,
) -> OwnBank:
    """Ask the bank its own questions. About 30 ms each, and as much again for each further setting.

    `sweep` also asks with other weights and token budgets; `context` tells what a recall costs
    against everything, with `sweep` also for the first half, quarter and eighth of the bank.
    """
    with acting_as(actor):
        access = resolve(actor, bank)
        memories = _sampled(access, sample)
        drawn = list(_questions(access, memories, sample))
    texts = [question.text for question, _ in drawn]
    embedder = get_embedder(access.bank.embedding_model)
    vectors = [embed_cached(embedder, [text], "query")[0] for text in texts]
    asked = [
        _Asked(question=question, vector=vector, created_at=created_at)
        for (question, created_at), vector in zip(drawn, vectors, strict=True)
    ]
    plain = _scores(actor, access.bank.id, asked, Query(limit=DEPTH, max_tokens=_UNLIMITED))
    by_shape: dict[str, list[Score]] = defaultdict(list)
    for row in plain:
        by_shape[row.type].append(row)
    return OwnBank(
        total=_measured(plain),
        by_shape={name: _measured(rows) for name, rows in sorted(by_shape.items())},
        weights=_by_weight(actor, access.bank.id, asked) if sweep and not context else {},
        budgets=_by_budget(actor, access.bank.id, asked) if sweep and not context else {},
        context=_contexts(actor, access.bank.id, asked, SHARES if sweep else (1,))
        if context
        else (),
    )


def _sampled(access: Access, sample: int) -> list[Memory]:
    """Live memories spread evenly over the bank. Two queries; the first reads ids alone."""
    live = Memory.objects.filter(bank_id=access.bank.id, retired_at=None, deleted_at=None)
    ids = list(live.exclude(indexed_at=None).order_by("id").values_list("id", flat=True))
    step = max(len(ids) / max(sample, 1), 1)
    places = sorted({int(n * step) for n in range(min(sample, len(ids)))})
    return list(live.filter(id__in=[ids[n] for n in places]).order_by("id"))


def _questions(
    access: Access, memories: Sequence[Memory], sample: int
) -> Iterator[tuple[Question, datetime]]:
    yield from _by_words(memories)
    yield from _by_pair(access, memories)
    yield from _by_entity_query(access, sample)
    yield from _by_save(access, sample)


def _by_words(memories: Sequence[Memory]) -> Iterator[tuple[Question, datetime]]:
    spoken = [_WORD.findall(memory.content[:2_000]) for memory in memories]
    common = Counter(word.casefold() for words in spoken for word in {w.casefold() for w in words})
    for memory, words in zip(memories, spoken, strict=True):
        unique = {word.casefold(): word for word in reversed(words)}
        rarest = sorted(unique, key=lambda key: (common[key], -len(key), key))[1 : WORDS + 1]
        kept = [word for word in dict.fromkeys(map(str.casefold, words)) if word in rarest]
        if len(kept) >= LEAST_WORDS:
            yield _question("words", " ".join(kept), [memory.id]), memory.created_at


def _by_pair(access: Access, memories: Sequence[Memory]) -> Iterator[tuple[Question, datetime]]:
    """Of the sampled facts; two queries."""
    here = Assertion.objects.filter(bank_id=access.bank.id, until=None).exclude(confidence="")
    rows = here.filter(memory_id__in=[memory.id for memory in memories]).select_related(
        "memory", "relationship__source", "relationship__target"
    )
    pairs = {
        frozenset((row.relationship.source_id, row.relationship.target_id)): row
        for row in rows.order_by("id")
    }
    sources = {end for pair in pairs for end in pair}
    between: dict[frozenset[object], set[str]] = defaultdict(set)
    beside = here.filter(
        relationship__source_id__in=sources, relationship__target_id__in=sources
    ).values_list("relationship__source_id", "relationship__target_id", "memory_id")
    for source, target, memory_id in beside:
        between[frozenset((source, target))].add(str(memory_id))
    for pair, row in pairs.items():
        names = f"{row.relationship.source.name} {row.relationship.target.name}"
        yield _question("pair", names, between[pair]), row.memory.created_at


def _by_entity_query(access: Access, sample: int) -> Iterator[tuple[Question, datetime]]:
    """Two queries."""
    entities = list(
        Entity.objects.filter(bank_id=access.bank.id, until=None)
        .exclude(queries=[])
        .order_by("id")[:sample]
    )
    naming: dict[str, set[str]] = defaultdict(set)
    mentions = Mention.objects.filter(
        bank_id=access.bank.id, until=None, entity_id__in=[one.id for one in entities]
    )
    for entity_id, memory_id in mentions.values_list("entity_id", "memory_id"):
        naming[str(entity_id)].add(str(memory_id))
    for entity in entities:
        text = next((one for one in entity.queries if isinstance(one, str)), "")
        if text and naming[entity.id]:
            yield _question("entity query", text, naming[entity.id]), entity.created_at


def _by_save(access: Access, sample: int) -> Iterator[tuple[Question, datetime]]:
    """Two queries."""
    saves = list(RecallSave.objects.filter(bank_id=access.bank.id).order_by("-id")[:sample])
    live = Memory.objects.filter(bank_id=access.bank.id, retired_at=None, deleted_at=None)
    there = {
        str(row.id): row.created_at for row in live.filter(id__in=[one.memory_id for one in saves])
    }
    recalls = dict(
        Recall.objects.filter(bank_id=access.bank.id, id__in=[one.recall_id for one in saves])
        .exclude(query="")
        .values_list("id", "query")
    )
    sought: dict[str, set[str]] = defaultdict(set)
    for one in saves:
        if one.recall_id in recalls and str(one.memory_id) in there:
            sought[recalls[one.recall_id]].add(str(one.memory_id))
    for text, ids in sorted(sought.items()):
        yield _question("saved", cut(text, 2_000)[0], ids), max(there[one] for one in ids)


def _question(shape: str, text: str, sought: Iterable[str]) -> Question:
    return Question(text=text, type=shape, turns=frozenset(sought), sessions=frozenset())


def _scores(actor: Actor, bank: str, asked: Sequence[_Asked], query: Query) -> list[Score]:
    """A transaction of its own for each question, as recall has it."""
    found = []
    for one in asked:
        ids, _ = _found(actor, bank, one, query)
        places = [Place(turns=frozenset([row]), sessions=frozenset()) for row in ids]
        found.append(score(one.question, places))
    return found


def _found(actor: Actor, bank: str, one: _Asked, query: Query) -> tuple[list[str], int]:
    """The ids of an answer, and its tokens as they are packed."""
    with acting_as(actor):
        asked = replace(query, text=one.question.text)
        result = run(resolve(actor, bank), asked, query_vector=one.vector)
    return [hit.memory.id for hit in result.hits], result.tokens


def _measured(rows: Sequence[Score]) -> Measured:
    averages = means(rows)
    return Measured(questions=len(rows), averages={name: averages[name] for name in NAMES})


def _by_weight(actor: Actor, bank: str, asked: Sequence[_Asked]) -> dict[float, Measured]:
    found = {}
    for dense in DENSE_WEIGHTS:
        weights = {"dense": dense, "lexical": 1 - dense}
        query = Query(limit=DEPTH, max_tokens=_UNLIMITED, weights=weights)
        found[dense] = _measured(_scores(actor, bank, asked, query))
    return found


def _by_budget(actor: Actor, bank: str, asked: Sequence[_Asked]) -> dict[int, Measured]:
    return {
        tokens: _measured(_scores(actor, bank, asked, Query(limit=DEPTH, max_tokens=tokens)))
        for tokens in BUDGETS
    }


def _contexts(
    actor: Actor, bank: str, asked: Sequence[_Asked], shares: Sequence[int]
) -> tuple[Context, ...]:
    """For the oldest share of the bank each: what all of it costs, and what its questions cost."""
    with acting_as(actor):
        live = Memory.objects.filter(bank_id=bank, retired_at=None, deleted_at=None)
        sizes = [
            (created_at, count_tokens(content))
            for created_at, content in live.order_by("created_at", "id")
            .values_list("created_at", "content")
            .iterator(chunk_size=1_000)
        ]
    found: list[Context] = []
    for last in [sizes[len(sizes) // share - 1][0] for share in shares if len(sizes) >= share]:
        # Those stored in one call share an instant: a part ends between two instants.
        part = [size for created_at, size in sizes if created_at <= last]
        until = next((created_at for created_at, _ in sizes if created_at > last), None)
        answerable = [one for one in asked if one.created_at <= last]
        if answerable and (not found or found[-1].memories < len(part)):
            found.append(_context(actor, bank, answerable, part, until))
    return tuple(found)


def _context(
    actor: Actor,
    bank: str,
    asked: Sequence[_Asked],
    sizes: Sequence[int],
    until: datetime | None,
) -> Context:
    query = Query(limit=_LIMIT, filters=Filters(created_to=until))
    answers = [_found(actor, bank, one, query) for one in asked]
    recalled = sum(tokens for _, tokens in answers) / len(asked)
    found = [
        bool(one.question.turns & set(ids)) for one, (ids, _) in zip(asked, answers, strict=True)
    ]
    everything = sum(sizes)
    return Context(
        memories=len(sizes),
        everything=everything,
        recalled=round(recalled, 1),
        saving=round(1 - recalled / everything, 4) if everything else 0.0,
        found=round(sum(found) / len(found), 4),
    )
