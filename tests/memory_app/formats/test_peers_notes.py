"""Notes of basic-memory as they are really written: nothing lost, nothing made up (F7)."""

from __future__ import annotations

import pytest

from memory_app.formats import Item, read_document


def note(*lines: str, head: str = "title: Harbour\ntype: place\npermalink: harbour") -> list[Item]:
    text = "\n".join(("---", head, "---", "# Harbour", "", *lines))
    return list(read_document(text, name="harbour.md").wanted)


def test_task_marks_and_timecodes_are_no_categories() -> None:
    items = note("- [-] dropped", "- [/] half done", "- [00:12:41] the bell rings", "- [a] kept")

    assert [(item.text, item.fields.get("category")) for item in items] == [
        ("[-] dropped", None),
        ("[/] half done", None),
        ("[00:12:41] the bell rings", None),
        ("kept", "a"),
    ]


def test_a_tag_marks_an_observation_without_a_category() -> None:
    (item,) = note("- Dredged in spring #depth#harbour (by the county)")

    assert item.text == "Dredged in spring"
    assert item.fields["tags"] == ["depth", "harbour"]
    assert item.fields["props"] == {"context": "by the county"}
    assert item.entities == ({"name": "Harbour", "type": "place"},)


@pytest.mark.parametrize(
    ("qualifier", "when", "until"),
    [
        ("@2026-07-27", "2026-07-27", None),
        ("@effective:2026-07-27", "2026-07-27", None),
        ('@occurred:"June 10, 2026"', "June 10, 2026", None),
        ("@effective[2026-06-10,2026-07-27)", "2026-06-10", "2026-07-27"),
    ],
)
def test_when_an_observation_holds_is_its_event_time(
    qualifier: str, when: str, until: str | None
) -> None:
    (item,) = note(f"- [rule] {qualifier} Boats slow to four knots")

    assert (item.text, item.fields["observed_at"]) == ("Boats slow to four knots", when)
    assert item.fields.get("props", {}).get("valid_until") == until


def test_a_handle_in_front_of_an_observation_is_no_time() -> None:
    (item,) = note("- [rule] @mara keeps the key")

    assert (item.text, "observed_at" in item.fields) == ("@mara keeps the key", False)


def test_a_relation_may_be_quoted_and_ends_at_its_target() -> None:
    items = note('- "supplied by" [[Chandlery]] (since 2020)', "- part_of [[Coast]]")

    assert [item.relations for item in items] == [
        (
            {
                "source": "Harbour",
                "type": "supplied by",
                "target": "Chandlery",
                "description": "since 2020",
            },
        ),
        ({"source": "Harbour", "type": "part_of", "target": "Coast"},),
    ]


def test_a_sentence_with_links_keeps_all_its_words_and_links() -> None:
    (item,) = note("- Mara met [[Ada]] and [[Kit Bell|Kit]] at the slip")

    assert item.text == "Mara met Ada and Kit at the slip"
    assert [(edge["type"], edge["target"]) for edge in item.relations] == [
        ("links_to", "Ada"),
        ("links_to", "Kit Bell"),
    ]


@pytest.mark.parametrize("entry", ["- part_of [[Coast]]", "- [rule] Moor at the slip #boats"])
def test_lines_that_go_on_with_an_entry_keep_their_words_and_links(entry: str) -> None:
    """Case 136"""
    (item,) = note(f"{entry}\nand so does [[Ada]]\n  on Sundays")

    assert item.text.endswith("\nand so does Ada\non Sundays")
    assert ("links_to", "Ada") in [(edge["type"], edge["target"]) for edge in item.relations]


@pytest.mark.parametrize(
    "code",
    [
        "`part_of [[Log]] #log`",
        "``part_of ` [[Log]] #log``",
        "<code>[[Log]] #log</code>",
        "<!-- [[Log]] #log -->",
        "\\[[Log]]",
    ],
)
def test_nothing_in_code_is_a_link_or_a_tag(code: str) -> None:
    """Case 136"""
    (item,) = note(f"- [rule] Write {code} for it")

    assert (item.relations, "tags" in item.fields) == ((), False)


def test_a_note_that_forbids_it_is_read_as_plain_markdown() -> None:
    head = "title: Scan\npermalink: scan\nbm_parse_semantics: false"

    (item,) = note("- [rule] part of [[Coast]]", head=head)

    assert (item.relations, item.fields.get("category")) == ((), None)
