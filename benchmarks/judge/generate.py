"""Pairs of statements made from our own templates, nothing of it third-party text.

`generate(n, seed)` gives balanced rows (old, new, label), the same ones for the same seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import specials

from templates import ADVICE, ATTRIBUTES, HERE, SEQUENCES, VALUES, WORDS, Attribute

__all__ = ["HERE", "LABELS", "Row", "generate"]

LABELS = ("duplicate", "supersedes", "unrelated")
Row = tuple[str, str, str]

NUMBERS: dict[str, Callable[[random.Random], int]] = {
    "age": lambda r: r.randint(19, 80),
    "small": lambda r: r.randint(2, 9),
    "code": lambda r: r.randint(1000, 9999),
    "weight": lambda r: r.randint(48, 110),
    "port": lambda r: r.choice([80, 443, 4000, 5000, 5432, 6379, 8000, 9000, 9200]),
    "seconds": lambda r: r.choice([1, 2, 3, 8, 12, 15, 20, 40, 45, 90]),
    "gigabytes": lambda r: r.choice([2, 6, 8, 12, 24, 48, 64]),
    "money": lambda r: r.choice([9, 35, 120, 480, 900, 1500, 3200, 7000, 18_000, 65_000]),
    "percent": lambda r: r.choice([2, 4, 6, 8, 10, 12, 20, 25, 40]),
    "count": lambda r: r.choice([7, 14, 25, 60, 85, 140, 400, 1100]),
    "days": lambda r: r.choice([7, 10, 14, 21, 45, 60, 90]),
}


def pick(kind: str, r: random.Random) -> object:
    if kind in NUMBERS:
        return NUMBERS[kind](r)
    if kind == "hour":
        return r.randint(5, 22), r.choice([0, 0, 0, 15, 30])
    if kind == "date":
        return r.randint(1, 28), r.randrange(12), r.choice([None, 2026, 2027])
    if kind == "version":
        return f"{r.randint(1, 9)}.{r.randint(0, 14)}"
    return r.choice(VALUES[kind])


def said(kind: str, value: object, r: random.Random) -> str:
    """The value in one of its spellings."""
    if kind == "hour":
        hour, minute = value  # type: ignore[misc]
        half = f"{(hour - 1) % 12 + 1}{f':{minute:02}' if minute else ''} {'am' if hour < 12 else 'pm'}"
        return r.choice([f"{hour}:{minute:02}", half])
    if kind == "date":
        return _date(*value, r)  # type: ignore[misc]
    if kind == "money":
        return r.choice([f"{value} euros", f"€{value:,}", f"{value:,} EUR"])
    if kind == "percent":
        return r.choice([f"{value}%", f"{value} percent"])
    if kind in ("small", "count", "days") and isinstance(value, int):
        return r.choice([str(value), WORDS[value] if value < 13 else f"{value:,}"])
    return str(value)


def _date(day: int, month: int, year: int | None, r: random.Random) -> str:
    names = "January February March April May June July August September October November December"
    name = names.split()[month]
    if year and r.random() < 0.25:
        return f"{year}-{month + 1:02}-{day:02}"
    end = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd"}.get(day, "th")
    tail, comma = (f" {year}", f", {year}") if year else ("", "")
    return r.choice(
        [
            f"{day} {name}{tail}",
            f"{name} {day}{comma}",
            f"{name} {day}{end}{comma}",
            f"the {day}{end} of {name}{tail}",
        ]
    )


def subject(kinds: list[str], r: random.Random) -> str:
    kind = r.choice(kinds)
    if kind in ("person", "self") and r.random() < 0.12:
        return (
            f"{r.choice(VALUES['person'] + ['The user', 'User'])}'s {r.choice(VALUES['relative'])}"
        )
    return r.choice(VALUES[kind])


def other_subject(kinds: list[str], than: str, r: random.Random) -> str:
    while (found := subject(kinds, r)).removeprefix("The ").lower() == than.removeprefix(
        "The "
    ).lower():
        pass
    return found


def _again(name: str, r: random.Random) -> str:
    """The same subject in another wording."""
    if name in ("User", "The user"):
        return r.choice(["User", "The user"])
    return name


def fill(template: str, s: str, r: random.Random, **values: str) -> str:
    low = s[0].lower() + s[1:] if s.startswith(("The ", "My ")) else s
    start = template.startswith("{s}")
    text = template.replace("{s}", s if start else low, 1).replace("{s}", low)
    for name, value in values.items():
        shown = value[0].lower() + value[1:] if value.startswith("The ") else value
        text = text.replace("{" + name + "}", shown)
    text = text.replace("{m}", r.choice(VALUES["month"]))
    return text[0].upper() + text[1:]


class Maker:
    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)

    def row(self, label: str) -> Row | None:
        r = self.r
        kind = r.random()
        if kind < 0.52:
            pair = self.attribute(r.choice(ATTRIBUTES), label)
        elif kind < 0.75:
            pair = self.sequence(label)
        else:
            pair = self.special(label)
        if pair is None or pair[0] == pair[1]:
            return None
        return self.noise(pair[0]), self.noise(pair[1]), label

    def noise(self, text: str) -> str:
        r = self.r
        if r.random() < 0.06:
            text = text.lower()
        if r.random() < 0.12:
            text = text.removesuffix(".")
        if r.random() < 0.04:
            text = r.choice(["Note: ", "Update: ", "FYI: "]) + text
        return text

    def attribute(self, a: Attribute, label: str) -> tuple[str, str] | None:
        r = self.r
        s = subject(a.subjects, r)
        again = _again(s, r)
        o = pick(a.values, r)
        v = pick(a.values, r)
        if o == v or s in (o, v):
            return None
        say = lambda t, who, value, before=None: fill(  # noqa: E731
            t, who, r, v=said(a.values, value, r), o=said(a.values, before or o, r)
        )
        if label == "duplicate":
            lists = [
                x for x in (a.state, a.state, a.state, a.change, a.over, a.opposite) if len(x) > 1
            ]
            first, second = r.sample(r.choice(lists), 2)
            if r.random() < 0.1:
                second = first
            return say(first, s, v), say(second, again, v)
        if a.many:
            return self._many(a, label, s, again, o, v, say)
        if label == "supersedes":
            old = say(r.choice(a.state if r.random() < 0.9 or not a.change else a.change), s, o, v)
            kinds = [x for x in (a.state, a.change, a.change, a.over) if x]
            return old, say(r.choice(r.choice(kinds)), again, v, o)
        return self._one_unrelated(a, s, again, o, v, say)

    def _many(self, a, label, s, again, o, v, say):  # type: ignore[no-untyped-def]
        r = self.r
        first, second = (a.state, a.opposite) if r.random() < 0.8 else (a.opposite, a.state)
        if label == "supersedes":
            return say(r.choice(first), s, v), say(r.choice(second), again, v)
        which = r.random()
        if which < 0.55:
            return say(r.choice(first), s, o), say(
                r.choice(first if r.random() < 0.6 else second), again, v
            )
        if which < 0.75:
            return say(r.choice(first), s, v), say(
                r.choice(first if r.random() < 0.6 else second), other_subject(a.subjects, s, r), v
            )
        return self._other_attribute(a, s, again, say(r.choice(first), s, v))

    def _one_unrelated(self, a, s, again, o, v, say):  # type: ignore[no-untyped-def]
        r = self.r
        which = r.random()
        if which < 0.45:
            who = other_subject(a.subjects, s, r)
            kinds = [x for x in (a.state, a.state, a.change, a.over) if x]
            return say(r.choice(a.state), s, o), say(
                r.choice(r.choice(kinds)), who, o if r.random() < 0.25 else v, o
            )
        if which < 0.55 and a.over:
            w = pick(a.values, r)
            if w == o:
                return None
            return say(r.choice(a.state), s, o), say(r.choice(a.over), again, v, w)
        return self._other_attribute(a, s, again, say(r.choice(a.state), s, o))

    def _other_attribute(
        self, a: Attribute, s: str, again: str, old: str
    ) -> tuple[str, str] | None:
        r = self.r
        fitting = [x for x in ATTRIBUTES if x.name != a.name and set(x.subjects) & set(a.subjects)]
        taken = {
            frozenset(("food", "eats")),
            frozenset(("knows", "applang")),
            frozenset(("job", "employer")),
            frozenset(("speaks", "learns")),
        }
        if not fitting:
            return None
        b = r.choice(fitting)
        if frozenset((a.name, b.name)) in taken:
            return None
        v, o = pick(b.values, r), pick(b.values, r)
        kinds = [x for x in (b.state, b.state, b.change, b.over, b.opposite) if x]
        template = r.choice(r.choice(kinds))
        return old, fill(template, again, r, v=said(b.values, v, r), o=said(b.values, o, r))

    def sequence(self, label: str) -> tuple[str, str] | None:
        r = self.r
        subjects, states = r.choice(SEQUENCES)
        s = subject(subjects, r)
        again = _again(s, r)
        if label == "duplicate":
            several = [ways for ways in states if len(ways) > 1]
            if not several:
                return None
            first, second = r.sample(r.choice(several), 2)
            return fill(first, s, r), fill(second, again, r)
        before, after = sorted(r.sample(range(len(states)), 2))
        old, new = r.choice(states[before]), r.choice(states[after])
        if label == "supersedes":
            return fill(old, s, r), fill(new, again, r)
        if r.random() < 0.6:
            who = other_subject(subjects, s, r)
            return fill(old, s, r), fill(new if r.random() < 0.7 else old, who, r)
        fitting = [x for x in SEQUENCES if x[1] != states and set(x[0]) & set(subjects)]
        if not fitting:
            return None
        return fill(old, s, r), fill(r.choice(r.choice(r.choice(fitting)[1])), again, r)

    def special(self, label: str) -> tuple[str, str] | None:
        r = self.r
        a, b = r.sample(VALUES["person"], 2)
        if label == "duplicate":
            return specials.said_twice(r, a, b)
        if label == "supersedes":
            return specials.list_changed(r, a, b)
        which = r.randrange(9)
        if which > 5:
            return specials.sibling(r)
        if which == 0:
            line = r.choice(ADVICE)
            pair = r.sample(line, 2)
            return (line[0], r.choice(line[1:])) if r.random() < 0.7 else (pair[0], pair[1])
        if which == 1:
            return specials.swapped(r, a, b)
        if which == 2:
            act, act2 = r.sample(VALUES["activity"], 2)
            d, d2 = r.sample(VALUES["weekday"], 2)
            return f"{a} {act} on {d}.", f"{a} {act if r.random() < 0.5 else act2} on {d2}."
        if which == 3:
            return specials.history(r, a)
        if which == 4:
            x, y = r.sample(ATTRIBUTES, 2)
            return self._state(x), self._state(y)
        return specials.numbered(r)

    def _state(self, a: Attribute) -> str:
        r = self.r
        return fill(
            r.choice(a.state), subject(a.subjects, r), r, v=said(a.values, pick(a.values, r), r)
        )


def generate(n: int, seed: int) -> list[Row]:
    maker = Maker(seed)
    rows: dict[tuple[str, str], str] = {}
    while len(rows) < n:
        label = LABELS[len(rows) % 3]
        row = maker.row(label)
        if row is not None and row[0].lower() != row[1].lower():
            rows.setdefault((row[0], row[1]), row[2])
    found = [(old, new, label) for (old, new), label in rows.items()]
    maker.r.shuffle(found)
    return found


if __name__ == "__main__":
    for row in generate(40, 1):
        print(*row, sep=" | ")
