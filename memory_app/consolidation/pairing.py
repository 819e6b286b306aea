"""Pairs of entities that may be one, each with its evidence and a confidence (A15). Pure.

A name alone may suffice; like descriptions and shared neighbours support a name, and together, but
never each alone, make a pair of two different names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from memory_app.consolidation import variants

BAR = 0.7
# Names so common as a part of others that they tell nothing: such groups are left out.
GROUP_LIMIT = 40
SAME_MEANING = 0.9
_SAYS_SAME = frozenset(("same as", "also known as", "aka", "alias of", "renamed to"))
_DIFFERENT_TYPES, _RELATED = 0.25, 0.3

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An entity as the engine sees it; `key` is its normalized name."""

    id: str
    key: str
    type: str = ""
    degree: int = 0
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is known about the candidates beyond their names; pairs are sorted by id."""

    neighbours: Mapping[str, frozenset[str]] = field(default_factory=dict)
    relations: Mapping[Pair, frozenset[str]] = field(default_factory=dict)
    meanings: Mapping[Pair, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """`variant` may be `canonical` under another name."""

    canonical: str
    variant: str
    confidence: float
    evidence: Mapping[str, Any]


def pairings(
    candidates: Sequence[Candidate], around: Surroundings, *, bar: float = BAR
) -> list[Pairing]:
    """Pairs at or above the bar, surest first. Compares only names that share a form."""
    known = {one.id: one for one in candidates}
    pairs = set(_alike_in_some_form(candidates))
    pairs |= {pair for pair in (*around.meanings, *around.relations) if set(pair) <= known.keys()}
    rivals = _rivals(pairs, known)
    found = [_judged(known[one], known[two], around, rivals) for one, two in sorted(pairs)]
    kept = [pairing for pairing in found if pairing is not None and pairing.confidence >= bar]
    return sorted(kept, key=lambda one: (-one.confidence, one.canonical, one.variant))


def pair(one: str, two: str) -> Pair:
    """Two ids as a pair is known by."""
    return (one, two) if one < two else (two, one)


def _judged(
    one: Candidate, two: Candidate, around: Surroundings, rivals: Mapping[str, int]
) -> Pairing | None:
    if variants.why_differ(one.key, two.key):
        return None
    ids = pair(one.id, two.id)
    reason = variants.why_alike(one.key, two.key)
    meaning = around.meanings.get(ids, 0.0)
    shared, jaccard = _shared(around, one.id, two.id)
    relations = around.relations.get(ids, frozenset())
    confidence = _by_name(reason, one, two, rivals)
    if meaning >= SAME_MEANING:
        confidence = confidence + 0.2 if reason else 0.5
    if len(shared) > 1 and jaccard >= 0.3:
        confidence += 0.25 if jaccard >= 0.6 else 0.15
    if one.type and two.type and one.type.casefold() != two.type.casefold():
        confidence -= _DIFFERENT_TYPES
    if relations & _SAYS_SAME:
        confidence = max(confidence, 0.9)
    elif relations:
        confidence -= _RELATED
    evidence: dict[str, Any] = {
        "name": reason,
        "meaning": round(meaning, 4),
        "shared_neighbours": len(shared),
        "relations": sorted(relations),
    }
    canonical, variant = sorted(
        (one, two), key=lambda each: (-each.degree, -len(each.description), each.id)
    )
    return Pairing(
        canonical=canonical.id,
        variant=variant.id,
        confidence=round(min(max(confidence, 0.0), 0.99), 4),
        evidence={name: value for name, value in evidence.items() if value},
    )


def _by_name(reason: str, one: Candidate, two: Candidate, rivals: Mapping[str, int]) -> float:
    confidence = variants.CONFIDENCE.get(reason, 0.0)
    if reason in ("initials", "part of the name", "abbreviated first name"):
        # One short name that several long ones could stand behind says little about each.
        confidence -= 0.15 * (max(rivals.get(one.id, 1), rivals.get(two.id, 1)) - 1)
    if reason == "spelled alike":
        # People's names differ by a letter; a long technical word is more likely mistyped.
        person = "person" in (one.type.casefold(), two.type.casefold())
        confidence -= 0.2 if person or min(len(one.key), len(two.key)) < 8 else 0.0
    return max(confidence, 0.0)


def _rivals(pairs: Iterable[Pair], known: Mapping[str, Candidate]) -> dict[str, int]:
    """How many longer names each short one could stand for."""
    counts: dict[str, int] = {}
    for ids in pairs:
        one, two = (known[each] for each in ids)
        if variants.why_alike(one.key, two.key) in ("initials", "part of the name"):
            short = min((one, two), key=lambda each: len(each.key))
            counts[short.id] = counts.get(short.id, 0) + 1
    return counts


def _shared(around: Surroundings, one: str, two: str) -> tuple[frozenset[str], float]:
    of_one = around.neighbours.get(one, frozenset()) - {two}
    of_two = around.neighbours.get(two, frozenset()) - {one}
    shared, either = of_one & of_two, of_one | of_two
    return shared, len(shared) / len(either) if either else 0.0


def _alike_in_some_form(candidates: Sequence[Candidate]) -> Iterator[Pair]:
    groups: dict[tuple[str, str], list[str]] = {}
    for one in candidates:
        for form in set(_forms(one.key)):
            groups.setdefault(form, []).append(one.id)
    for ids in groups.values():
        if 1 < len(ids) <= GROUP_LIMIT:
            yield from (pair(*each) for each in combinations(ids, 2))


def _forms(key: str) -> Iterator[tuple[str, str]]:
    """Every form under which a variant of this name could be found."""
    parts = variants.words(key)
    if not parts:
        return
    yield "letters", variants.letters(key)
    yield "words", " ".join(sorted(parts))
    yield "plain", " ".join(variants.plain(parts))
    yield from (("letters", bare) for bare in variants.accentless(key))
    yield from (("letters", short) for short in variants.initials(parts))
    for count in range(1, len(parts) + 1):
        yield "start", " ".join(parts[:count])
    yield "start", " ".join([parts[0][0], *parts[1:]])
    for place, part in enumerate(parts):
        for shorter in variants.one_deletion(part):
            yield "slip", " ".join([*parts[:place], shorter, *parts[place + 1 :]])
