"""Generated lists in every format, through the whole way: nothing lost, nothing invented."""

from __future__ import annotations

import csv
import io
import json
import os
import unicodedata
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.tenancy import acting_as
from memory_app.models import Memory
from memory_app.services import importing
from memory_app.services.importing import Upload
from tests.factories import World, make_world

# `make fuzz` asks for 1,000 and so imports 5,000 lists.
LISTS = 5 * int(os.environ.get("FUZZ_CASES", "12"))

texts = st.text(
    st.characters(categories=("L", "N", "P", "S", "Zs"), exclude_characters="\ufffc"), max_size=24
).map(lambda text: f"Fact {text} end")


def as_table(given: list[str]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerows([["n", "text"], *([n, text] for n, text in enumerate(given))])
    return out.getvalue().encode("utf-8-sig")


def as_zip(given: list[str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number, text in enumerate(given):
            archive.writestr(f"{number:03}.txt", text.encode("utf-16"))
    return out.getvalue()


WRITTEN: dict[str, Callable[[list[str]], bytes]] = {
    "plain.txt": lambda given: "\r\n".join(given).encode(),
    "bullets.txt": lambda given: "\n".join(f"- {text}" for text in given).encode("utf-16"),
    "numbers.md": lambda given: "\n".join(f"{n}. {t}" for n, t in enumerate(given, 1)).encode(),
    "list.json": lambda given: json.dumps(given).encode(),
    "objects.json": lambda given: json.dumps([{"memory": text} for text in given]).encode(),
    "lines.jsonl": lambda given: "\n".join(json.dumps({"text": t}) for t in given).encode(),
    "table.csv": as_table,
    "all.zip": as_zip,
}


@pytest.fixture(scope="module")
def place(database: None) -> World:
    return make_world(tier="full")


@pytest.mark.fuzz
def test_no_generated_list_loses_or_invents_a_memory(place: World, settings_of_cap: None) -> None:
    """E9, F7: each text is stored or known by the memory that says it, and nothing else is stored."""

    @settings(
        max_examples=LISTS,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(
        st.lists(texts, min_size=1, max_size=12),
        st.sampled_from(sorted(WRITTEN)),
    )
    def check(given_texts: list[str], name: str) -> None:
        data = WRITTEN[name](given_texts)
        job = importing.receive(place.person, "main", [Upload(name=name, chunks=iter([data]))])
        done = importing.start(place.person, "main", job.id)

        lines = importing.list_lines(place.person, "main", job.id).items
        with acting_as(place.person):
            ids = [line.memory_id for line in lines]
            said = {
                row.id: row.content for row in Memory.objects.filter(bank=place.bank, id__in=ids)
            }
            created = Memory.objects.filter(bank=place.bank, import_id=job.id).count()
        assert done.status == "done"
        assert [plain(said[line.memory_id]) for line in lines] == [plain(t) for t in given_texts]
        assert created == sum(done.counts.get(fate, 0) for fate in ("created", "pending"))
        assert sum(done.counts.values()) == len(given_texts)

    check()


@pytest.fixture
def settings_of_cap(settings: object) -> None:
    settings.DAILY_OPERATION_CAP = 10**9  # type: ignore[attr-defined]


def plain(text: str) -> str:
    """What a near-duplicate must share with what it is merged into: every letter and digit."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in folded if c.isalnum())
