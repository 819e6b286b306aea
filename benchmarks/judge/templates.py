"""The templates of the generator, read from the text files beside this module."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905


@dataclass
class Attribute:
    name: str
    subjects: list[str]
    values: str
    many: bool
    state: list[str] = field(default_factory=list)
    opposite: list[str] = field(default_factory=list)
    change: list[str] = field(default_factory=list)
    over: list[str] = field(default_factory=list)


def _lines(name: str) -> list[str]:
    text = (HERE / name).read_text("utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def read_values() -> dict[str, list[str]]:
    return {
        name: [value.strip() for value in values.split(",")]
        for name, values in (line.split(":", 1) for line in _lines("values.txt"))
    }


def read_attributes() -> list[Attribute]:
    found: list[Attribute] = []
    for line in _lines("attributes.txt"):
        if line[0] in "=!>-":
            said = [part.strip() for part in line[1:].split("|")]
            here = found[-1]
            {"=": here.state, "!": here.opposite, ">": here.change, "-": here.over}[line[0]].extend(
                said
            )
        else:
            name, subjects, values, count = line.split()
            found.append(Attribute(name, subjects.split(","), values, count == "many"))
    return found


def read_sequences() -> list[tuple[list[str], list[list[str]]]]:
    found = []
    for line in _lines("sequences.txt"):
        subjects, states = line.split(":", 1)
        ways = [
            [way.strip() for way in state.split("|") if way.strip()] for state in states.split("//")
        ]
        found.append((subjects.removesuffix(":flat").split(","), ways))
    return found


VALUES = read_values()
ATTRIBUTES = read_attributes()
SEQUENCES = read_sequences()
TWICE = [[way.strip() for way in line.split("|")] for line in _lines("twice.txt")]
SIBLINGS = [
    (left.strip(), [word.strip() for word in words.split(",")])
    for left, words in (line.split("::") for line in _lines("siblings.txt"))
]
DRINKS = ["tea", "coffee", "apple juice", "water", "milk", "cocoa", "beer", "wine"]
ADVICE = [[part.strip() for part in line.split("//")] for line in _lines("advice.txt")]
