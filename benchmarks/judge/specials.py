"""Pairs that fit no attribute: siblings, swapped roles, history, numbered things, paraphrases."""

from __future__ import annotations

import random

from templates import DRINKS, SIBLINGS, TWICE, VALUES, WORDS


def sibling(r: random.Random) -> tuple[str, str]:
    """Two statements of one form about two things, or two values that go together."""
    form, words = r.choice(SIBLINGS)
    pair = r.sample(words, 2) if len(words) > 1 else ["", ""]
    lists = {
        "c": "city",
        "p": "person",
        "k": "color",
        "f": "food",
        "b": "browser",
        "l": "language",
    }
    said_of = []
    taken = {key: r.sample(VALUES[name], 4) for key, name in lists.items()}
    taken["d"] = r.sample(DRINKS, 4)
    taken["n"] = [str(n) for n in r.sample(range(2, 300), 4)]
    taken["h"] = [f"{h}:{r.choice(['00', '30', '15'])}" for h in r.sample(range(5, 23), 4)]
    same = pair[0] != "" and r.random() < 0.25
    for side, word in enumerate(pair):
        text = form.replace("{x}", word).replace("{p2}", taken["p"][side + 2])
        for key, values in taken.items():
            text = text.replace("{" + key + "}", values[0 if same else side])
        said_of.append(text[0].upper() + text[1:])
    return said_of[0], said_of[1]


def said_twice(r: random.Random, a: str, b: str) -> tuple[str, str]:
    item, other = r.sample(VALUES["item"], 2)
    n = r.randint(2, 12)
    if r.random() < 0.6:
        filled = [
            way.replace("{a}", a).replace("{n}", str(n * 10)).replace("{i}", item)
            for way in r.sample(r.choice(TWICE), 2)
        ]
        return filled[0][0].upper() + filled[0][1:], filled[1][0].upper() + filled[1][1:]
    ways = [
        [f"{a} wrote the report.", f"The report was written by {a}."],
        [
            f"{a} ordered {n} {item}.",
            f"{n} {item} were ordered by {a}.",
            f"{a} has ordered {WORDS[n]} {item}.",
        ],
        [f"{a} and {b} are siblings.", f"{b} is a sibling of {a}."],
        [f"Every visitor gets {item}.", f"All visitors get {item}."],
        [f"We need {item} and {other}.", f"We need {other} and {item}."],
        [
            f"Do not order {item} without asking {a}.",
            f"Never order {item} without asking {a}.",
            f"Always ask {a} before ordering {item}.",
        ],
        [f"Always check the {item}.", f"The {item} must always be checked."],
        [f"{a} owes {b} {n} euros.", f"{a} has to pay {b} {n} euros."],
        [f"The meeting with {a} takes {n} hours.", f"The meeting with {a} lasts {n} hours."],
        [f"{a} doesn't use {item}.", f"{a} does not use any {item}.", f"{a} uses no {item}."],
        [
            f"There are {n} {item} in the store room.",
            f"The store room holds {n} {item}.",
            f"We have {n} {item} in the store room.",
        ],
    ]
    first, second = r.sample(r.choice(ways), 2)
    return first, second


def list_changed(r: random.Random, a: str, b: str) -> tuple[str, str]:
    x, y, z, new = r.sample(VALUES["database"] + VALUES["queue"] + VALUES["frontend"], 4)
    item, other = r.sample(VALUES["item"], 2)
    n, m = r.sample(range(2, 40), 2)
    pairs = [
        (f"The stack is {x}, {y} and {z}.", f"The stack has moved from {y} to {new}."),
        (f"We use {x} and {y}.", f"We replaced {x} with {new}."),
        (f"Our tools are {x}, {y} and {z}.", f"{z} has been replaced by {new}."),
        (f"There are {n} {item} in stock.", f"There are {m} {item} in stock now."),
        (
            f"{a} must approve orders of {item}.",
            f"Orders of {item} no longer need the approval of {a}.",
        ),
        (
            f"{a} is responsible for {item}.",
            f"{b} is now responsible for {item} instead of {a}.",
        ),
        (
            f"{item.capitalize()} are allowed in the office.",
            f"{item.capitalize()} are no longer allowed in the office.",
        ),
        (f"Always order {item} from stock.", f"Never order {item} from stock."),
        (f"Use {x} for new work.", f"Don't use {x} for new work any more."),
        (
            f"{item.capitalize()} cost more than {other}.",
            f"{item.capitalize()} cost less than {other}.",
        ),
        (f"{a} is the tallest in the class.", f"{b} is now the tallest in the class."),
        (f"The kitchen uses {x}.", f"{x} was dropped in favour of {new}."),
        (f"The stock is counted with {x}.", f"{x} was replaced by {new}."),
        (f"{a} orders the {item}.", f"The {item} are ordered by {b} from now on."),
        (f"{a} checks all {item}.", f"From now on {b} checks all {item}."),
        (f"{item.capitalize()} are counted by hand.", f"Counting {item} is automated now."),
        (
            f"{item.capitalize()} are counted by hand.",
            f"{item.capitalize()} are counted by {new} now.",
        ),
        (f"{a} works for the city council.", f"{a} retired in {r.choice(VALUES['month'])}."),
        (f"{a} has a tutor on Mondays.", f"{a}'s tutor comes on Thursdays now."),
        (
            f"The guarantee for {item} is {n} months.",
            f"The guarantee for {item} was extended to {n + m} months.",
        ),
        (f"Nobody looks after the {item}.", f"{a} looks after the {item} now."),
        (f"{item.capitalize()} are free.", f"{item.capitalize()} cost {n} euros."),
        (f"The old {item} are in use.", f"The old {item} were thrown away."),
        (f"{a} wants {item}.", f"{a} doesn't want {item} any more."),
        (f"We order {item} from {b}.", f"We now order {item} elsewhere, no longer from {b}."),
    ]
    return r.choice(pairs)


def swapped(r: random.Random, a: str, b: str) -> tuple[str, str]:
    x, y = r.sample(VALUES["service"], 2)
    lx, ly = x[0].lower() + x[1:], y[0].lower() + y[1:]
    n, m = r.sample(range(2, 90), 2)
    lang, lang2 = r.sample(VALUES["language"], 2)
    verb = r.choice(["calls", "sends events to", "waits for", "writes to", "imports"])
    pairs = [
        (f"{x} {verb} {ly}.", f"{y} {verb} {lx}."),
        (f"{a} teaches {b} {lang}.", f"{b} teaches {a} {lang2}."),
        (f"{a} lent {b} {n} euros.", f"{b} lent {a} {m} euros."),
        (f"{a} visited {b}.", f"{b} visited {a}."),
        (f"{a} checked the work of {b}.", f"{b} checked the work of {a}."),
        (f"{a} sold a car to {b}.", f"{b} sold a boat to {a}."),
        (f"{a} is older than {b}.", f"{b} is taller than {a}."),
        (f"{a} thanked {b} for the help.", f"{b} thanked {a} for the gift."),
    ]
    return r.choice(pairs)


def history(r: random.Random, a: str) -> tuple[str, str]:
    o, v = r.sample(VALUES["city"], 2)
    c, d = r.sample(VALUES["company"], 2)
    year = r.randint(1995, 2018)
    pairs = [
        (f"{a} lived in {o} from {year} to {year + 4}.", f"{a} lives in {v}."),
        (f"{a} was born in {o}.", f"{a} moved from {o} to {v}."),
        (f"{a} likes {o}.", f"{a} moved from {o} to {v}."),
        (f"{a} worked at {c} in {year}.", f"{a} works at {d}."),
        (f"{a} studied in {o}.", f"{a} left {o} and works in {v}."),
        (f"{a} has customers at {c}.", f"{a} left {d}."),
        (f"{a}'s brother lives in {o}.", f"{a} moved from {o} to {v}."),
        (f"{a} met a friend in {o}.", f"{a} no longer lives in {o}."),
        (f"{a} lives in {o}.", f"{a} was in {v} for a weekend."),
        (f"{a} works at {c}.", f"{a} has a friend at {d}."),
    ]
    return r.choice(pairs)


def numbered(r: random.Random) -> tuple[str, str]:
    n, m = r.sample(range(2, 400), 2)
    x, y = r.sample(VALUES["item"], 2)
    a, b = r.sample(VALUES["person"], 2)
    q = r.sample([1, 2, 3, 4], 2)
    pairs = [
        (f"Ticket {n} is about {x}.", f"Ticket {m} is about {x if r.random() < 0.5 else y}."),
        (f"Room {n} has new {x}.", f"Room {m} has new {x}."),
        (f"Order {n} was sent to {a}.", f"Order {m} was sent to {b}."),
        (f"Build {n} passed.", f"Build {m} failed."),
        (
            f"Sales in Q{q[0]} were {n} thousand euros.",
            f"Sales in Q{q[1]} were {m} thousand euros.",
        ),
        (f"Section {n} of the plan covers {x}.", f"Section {m} of the plan covers {y}."),
        (f"Probe P-{n} was clean.", f"Probe P-{m} was clean."),
        (f"We bought {n} {x}.", f"We bought {m} {y}."),
    ]
    return r.choice(pairs)
