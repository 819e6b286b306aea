"""Short statements of our own, as many as wanted, no two alike."""

from __future__ import annotations

import random
from collections.abc import Iterator

WHO = [
    "Ana",
    "Ben",
    "Carla",
    "Dmitri",
    "Elif",
    "Farid",
    "Greta",
    "Hugo",
    "Ines",
    "Jonas",
    "Keiko",
    "Lena",
    "Marco",
    "Nadia",
    "Otto",
]
DOES = [
    "keeps",
    "wants",
    "ordered",
    "described",
    "moved",
    "tested",
    "reviewed",
    "planned",
    "rejected",
    "documented",
]
WHAT = [
    "invoice",
    "migration",
    "server",
    "customer",
    "network",
    "budget",
    "garden",
    "engine",
    "ticket",
    "release",
    "paper",
    "window",
    "market",
    "planet",
    "copper",
    "music",
    "violin",
    "mountain",
    "breakfast",
    "holiday",
    "deployment",
    "schema",
    "cache",
    "queue",
    "report",
    "contract",
    "meeting",
    "sensor",
    "library",
    "vehicle",
]
WHERE = [
    "Oslo",
    "Porto",
    "Leeds",
    "Vienna",
    "Austin",
    "Nairobi",
    "Seoul",
    "Prague",
    "Dublin",
    "Lisbon",
]


def sentences(seed: int) -> Iterator[str]:
    """An endless series; the same for the same seed."""
    rng = random.Random(seed)
    number = 0
    while True:
        number += 1
        first, second, third = rng.sample(WHAT, 3)
        yield (
            f"{rng.choice(WHO)} {rng.choice(DOES)} the {first} {second} for the {third} "
            f"in {rng.choice(WHERE)}, item {seed}-{number}."
        )
