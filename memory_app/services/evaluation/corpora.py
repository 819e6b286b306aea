"""Question sets as conversations with questions: LoCoMo and LongMemEval files, plain or xz.

One memory a turn. What a file doesn't say is left out; a date that can't be read is kept as text.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_app.domain.errors import InvalidArgument

_LOCOMO_TYPES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
_CITATION = re.compile(r"D(\d+):(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing said. `key` is what questions cite it by."""

    key: str
    session: str
    speaker: str
    text: str
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with the turns and the sessions that hold its answer."""

    text: str
    type: str
    turns: frozenset[str]
    sessions: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Turns in their order and the questions asked about them, and about nothing else."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def read_locomo(path: Path) -> list[Conversation]:
    """Conversations of a LoCoMo file; questions without evidence are left out.

    A shared picture is stored as its caption. Raises `InvalidArgument` for another schema.
    """
    with _schema("LoCoMo", path):
        loaded = json.loads(_text(path))
        entries = loaded if isinstance(loaded, list) else [loaded]
        return [_locomo(entry, number) for number, entry in enumerate(entries, start=1)]


def read_longmemeval(questions: Path, sessions: Path) -> list[Conversation]:
    """One conversation a question: its haystack of sessions, in order.

    Raises `InvalidArgument` for another schema, and for a session that the file lacks.
    """
    with _schema("LongMemEval", questions):
        stored = {row["key"]: row["turns"] for row in _lines(sessions)}
        return [_longmemeval(row, stored) for row in _lines(questions)]


def _locomo(entry: Mapping[str, Any], number: int) -> Conversation:
    said = entry.get("conversation", entry)
    turns = []
    for name in sorted((key for key in said if re.fullmatch(r"session_\d+", key)), key=_number):
        for turn in said[name]:
            caption = turn.get("blip_caption")
            text = turn.get("text") or ""
            turns.append(
                Turn(
                    key="".join(_citations(turn["dia_id"])),
                    session=name,
                    speaker=turn["speaker"],
                    text=f"{text} [shares {caption}]".strip() if caption else text,
                    date=said.get(f"{name}_date_time", ""),
                )
            )
    sessions = {turn.key: turn.session for turn in turns}
    questions = []
    for asked in entry["qa"]:
        cited = _citations(" ".join(asked.get("evidence") or ()))
        if cited:
            questions.append(
                Question(
                    text=str(asked["question"]),
                    type=_LOCOMO_TYPES.get(asked.get("category"), "other"),
                    turns=frozenset(cited),
                    sessions=frozenset(sessions[key] for key in cited if key in sessions),
                )
            )
    return Conversation(
        name=str(entry.get("sample_id", number)), turns=tuple(turns), questions=tuple(questions)
    )


def _longmemeval(row: Mapping[str, Any], stored: Mapping[str, Any]) -> Conversation:
    turns, cited = [], set()
    for place, visit in enumerate(row["haystack"]):
        answers = set(visit.get("has_answer_turns") or ())
        for number, turn in enumerate(stored[visit["key"]]):
            key = f"{place}:{number}"
            turns.append(
                Turn(
                    key=key,
                    session=visit["session_id"],
                    speaker=turn["role"],
                    text=turn["content"] or "",
                    date=visit.get("date", ""),
                )
            )
            if number in answers:
                cited.add(key)
    question = Question(
        text=row["question"],
        type=row.get("question_type", "other"),
        turns=frozenset(cited),
        sessions=frozenset(row["answer_session_ids"]),
    )
    return Conversation(name=row["question_id"], turns=tuple(turns), questions=(question,))


def _citations(text: str) -> set[str]:
    """The turns cited in a text; `D8:06` and `D8:6` are one turn."""
    return {f"D{int(session)}:{int(turn)}" for session, turn in _CITATION.findall(text)}


def _number(name: str) -> int:
    return int(name.rpartition("_")[2])


def _text(path: Path) -> str:
    raw = path.read_bytes()
    return (lzma.decompress(raw) if path.suffix == ".xz" else raw).decode("utf-8")


def _lines(path: Path) -> Iterator[Any]:
    # Not by `splitlines`: texts hold U+2028 and the like unescaped.
    for line in _text(path).split("\n"):
        if line.strip():
            yield json.loads(line)


class _schema:
    """Tells a file that can't be read, or is of another form, by its name."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if kind is not None and issubclass(
            kind, (OSError, ValueError, KeyError, TypeError, AttributeError, lzma.LZMAError)
        ):
            raise InvalidArgument(
                f"{self.path.name} can't be read as {self.name}: {kind.__name__}: {error}",
                hint=f"Give a file in the schema of {self.name}, plain or compressed with xz.",
                field="file",
            ) from None
