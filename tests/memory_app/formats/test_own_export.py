"""What the product writes it reads again without loss (F7)."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_app.formats.commonplace import COLUMNS, defused
from memory_app.formats.csv_table import read_csv
from memory_app.formats.front_matter import list_of, split_front, text_of
from memory_app.formats.reading import read_document
from memory_app.models import Memory
from memory_app.services.portability import readable

lines = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=60)


@given(lines.filter(str.strip), lines)
@settings(max_examples=500, deadline=None)
def test_a_table_gives_back_what_looked_like_a_formula(content: str, title: str) -> None:
    cells = {"content": content, "title": title, "props": '{"a": 1}', "pinned": "yes"}
    row = [defused(cells.get(name, "")) for name in COLUMNS]
    table = readable._row(COLUMNS) + readable._row(row)

    (item,) = read_csv(table.decode()).items

    assert item.fields["content"].strip() == content.strip()
    assert item.fields.get("title", "").strip() == title.strip()
    assert (item.fields["props"], item.pinned) == ({"a": 1}, True)


@given(lines, st.lists(lines.map(lambda text: text.replace(",", "").strip() or "x"), min_size=1))
@settings(max_examples=500, deadline=None)
def test_a_note_gives_back_its_head(title: str, tags: list[str]) -> None:
    quoted = ", ".join(readable._quoted(tag) for tag in tags)
    head = ["---", f"title: {readable._quoted(title)}", f"tags: [{quoted}]", "---", "Body"]

    front, place = split_front(head)

    assert (text_of(front, "title"), list_of(front, "tags"), place) == (title, tags, 4)


def test_a_note_comes_back_with_its_props() -> None:
    """Case 138: also with all that quoting has to keep, and at their greatest size."""
    props = {"a": [1, None, 'x"y\\z'], "line": "one\ntwo\u2028\x85", "long": '"' * 7_000}
    memory = Memory(content="1. a\u2028b\x0bc", title="T: [x]\u2028y", tags=["c++"], props=props)
    memory.created_at = datetime(2026, 1, 2, tzinfo=UTC)

    [item] = read_document(readable._note(memory), name="t.md").items

    assert item.fields == {
        "content": "1. a\u2028b\x0bc",
        "title": "T: [x]\u2028y",
        "tags": ["c++"],
        "props": props,
    }
