"""The eval command on small files of our own (D10)."""

from __future__ import annotations

import json
import lzma
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from memory_app.services.evaluation.corpora import Question, read_locomo
from memory_app.services.evaluation.metrics import Place, means, score

LOCOMO = [
    {
        "sample_id": "a",
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ida", "dia_id": "D1:1", "text": "I adopted a parrot called Pico."},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "The tax office closes at four."},
                {"speaker": "Ida", "dia_id": "D1:3", "text": "", "blip_caption": "a green cage"},
            ],
            "session_2_date_time": "some day in spring",
            "session_2": [
                {"speaker": "Bo", "dia_id": "D2:1", "text": "Our relay listens on 8443."}
            ],
        },
        "qa": [
            {"question": "What is Ida's parrot called?", "evidence": ["D1:01"], "category": 4},
            {"question": "Which port has the relay?", "evidence": ["D2:1; D9:9"], "category": 2},
            {"question": "Nobody knows?", "evidence": [], "category": 5},
        ],
    }
]


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    path = tmp_path / "set.json.xz"
    path.write_bytes(lzma.compress(json.dumps(LOCOMO).encode()))
    return path


def _organizations() -> int:
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM find_organization('evaluation') f WHERE f IS NOT NULL")
        return int(cursor.fetchone()[0])


def test_locomo_is_loaded_asked_and_removed(locomo: Path) -> None:
    out = StringIO()

    call_command("eval", "locomo", str(locomo), "--json", stdout=out, stderr=StringIO())

    measured = json.loads(out.getvalue())
    assert measured["total"] == {
        "hit@1": 1.0,
        "hit@10": 1.0,
        "recall@10": 0.75,
        "MRR": 1.0,
        "session@10": 1.0,
    }
    assert measured["questions"] == {"single-hop": 1, "temporal": 1}
    assert measured["memories"] == 4
    assert _organizations() == 0


def test_longmemeval_is_loaded_and_printed_by_type(tmp_path: Path) -> None:
    question = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Where are the old sneakers?",
        "answer_session_ids": ["gold"],
        "haystack": [
            {"session_id": "other", "key": "k1", "date": "2023/05/25 (Thu) 10:04"},
            {"session_id": "gold", "key": "k2", "date": "no date", "has_answer_turns": [0]},
        ],
    }
    sessions = [
        {"key": "k1", "turns": [{"role": "user", "content": "Plan a trip to the lake."}]},
        {
            "key": "k2",
            "turns": [{"role": "user", "content": "My sneakers\u2028are in the closet."}],
        },
    ]
    asked, said = tmp_path / "q.jsonl", tmp_path / "s.jsonl"
    asked.write_text(json.dumps(question))
    said.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in sessions))
    out = StringIO()

    call_command("eval", "longmemeval", str(asked), str(said), stdout=out, stderr=StringIO())

    assert "single-session-user" in out.getvalue()
    assert "2 memories (0 turns merged" in out.getvalue()


def test_a_file_of_another_form_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not json")

    with pytest.raises(CommandError, match=r"notes.txt can't be read as LoCoMo"):
        call_command("eval", "locomo", str(path))


def test_dates_and_sessions_are_kept(locomo: Path) -> None:
    turns = read_locomo(locomo)[0].turns

    assert [turn.session for turn in turns] == ["session_1", "session_1", "session_1", "session_2"]
    assert turns[3].date == "some day in spring"
    assert turns[2].text == "[shares a green cage]"


def test_figures_follow_their_definitions() -> None:
    question = Question(
        text="?", type="t", turns=frozenset({"a", "b"}), sessions=frozenset({"s", "u"})
    )
    noise = Place(turns=frozenset({"x"}), sessions=frozenset({"v"}))
    found = Place(turns=frozenset({"b", "c"}), sessions=frozenset({"s"}))
    late = Place(turns=frozenset({"a"}), sessions=frozenset({"u"}))

    averages = means([score(question, [noise, found, *[noise] * 8, late])])

    assert averages == {
        "hit@1": 0.0,
        "hit@10": 1.0,
        "recall@10": 0.5,
        "MRR": 0.5,
        "session@10": 0.5,
    }
