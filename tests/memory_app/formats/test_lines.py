from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_app.formats import read_import


def contents(text: str) -> list[str]:
    return [item.fields["content"] for item in read_import(text).items if not item.skipped]


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n", "\u2028", "\u2029", "\x0b", "\x85"])
def test_every_way_of_ending_a_line_gives_the_same_memories(end: str) -> None:
    """E9, case 124: also with a byte-order mark and without an end on the last line."""
    assert contents(f"\ufeffKit lives in Ayr.{end}{end}- Ravi likes tea.{end}Ada runs") == [
        "Kit lives in Ayr.",
        "Ravi likes tea.",
        "Ada runs",
    ]


def test_numbers_that_are_no_list_markers_stay() -> None:
    """E9, case 126."""
    text = "2026. Budget frozen.\n1. Budget frozen.\n1) x\n12.05. is a holiday\n7. Sonata in D"

    assert contents(text) == [
        "2026. Budget frozen.",
        "Budget frozen.",
        "x",
        "12.05. is a holiday",
        "7. Sonata in D",
    ]


def test_a_list_to_120_with_nested_markers_loses_the_markers_only() -> None:
    """E9, case 128."""
    nested = [
        "  - tea",
        "\t• milk",
        "    – oats",
        "  - [ ] call Kit",
        "  [x] paid",
        "  a) left",
        "  b) right",
    ]
    numbered = [f"{number}. Fact {number} of 120" for number in range(1, 121)]
    text = "\n".join([*numbered[:60], *nested, *numbered[60:]])

    plain = ["tea", "milk", "oats", "call Kit", "paid", "left", "right"]
    facts = [f"Fact {number} of 120" for number in range(1, 121)]
    assert contents(text) == [*facts[:60], *plain, *facts[60:]]


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (["i. figs", "ii. oats", "iii. peas"], ["figs", "oats", "peas"]),
        (["(i) figs", "(ii) oats"], ["figs", "oats"]),
        (["a. figs", "b. oats"], ["figs", "oats"]),
        (["[1] figs", "[2] oats"], ["figs", "oats"]),
        (["1）figs", "2）oats"], ["figs", "oats"]),
        (["· figs", "⁃ oats", "➤ peas", "◆ rye"], ["figs", "oats", "peas", "rye"]),
        (["h) figs", "i) oats", "j) peas"], ["figs", "oats", "peas"]),
        (["24. December", "25. December"], ["24. December", "25. December"]),
        (["1. Mai frei", "2. Mai nicht"], ["1. Mai frei", "2. Mai nicht"]),
        (["I. Newton was born in 1643."], ["I. Newton was born in 1643."]),
        (["a. m. is the morning"], ["a. m. is the morning"]),
        (["-5 degrees", "+49 170 123"], ["-5 degrees", "+49 170 123"]),
        (["3.5 litres", "1.1 is a version"], ["3.5 litres", "1.1 is a version"]),
        (["#ops is a channel", "*bold* text"], ["#ops is a channel", "*bold* text"]),
    ],
)
def test_a_marker_goes_and_what_only_looks_like_one_stays(
    lines: list[str], kept: list[str]
) -> None:
    """E9, cases 126 and 128."""
    assert contents("\n".join(lines)) == kept


def test_inner_numbering_restarts_and_the_outer_goes_on() -> None:
    assert contents("1. a fig\n   1. an oat\n   2. a pea\n2. a date\n3) no\n3. a nut") == [
        "a fig",
        "an oat",
        "a pea",
        "a date",
        "3) no",
        "a nut",
    ]


def test_a_list_that_starts_late_needs_three_in_a_row() -> None:
    assert contents("9. one\n10. two\n11. three") == ["one", "two", "three"]
    assert contents("12. Mai is a holiday\n13. Mai is not") == [
        "12. Mai is a holiday",
        "13. Mai is not",
    ]


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (["- figs", "2) oats", "- peas"], ["figs", "oats", "peas"]),
        (["1. figs", "- oats", "3. peas"], ["figs", "oats", "peas"]),
        (["1. figs", "- oats", "2) peas"], ["figs", "oats", "peas"]),
        (["- figs", "- oats", "2) peas"], ["figs", "oats", "peas"]),
        (["- figs", "", "[ ] oats", "c) peas"], ["figs", "oats", "peas"]),
        (["- Ada plays", "7. Sonata in D", "- Kit"], ["Ada plays", "7. Sonata in D", "Kit"]),
        (["# Music", "2. Sonata in D"], ["Music", "2. Sonata in D"]),
        (["- figs", "So it is:", "2) oats"], ["figs", "So it is:", "2) oats"]),
        (["- figs", "24. December", "2026. Budget"], ["figs", "24. December", "2026. Budget"]),
    ],
)
def test_bullets_and_numbers_may_stand_in_turn(lines: list[str], kept: list[str]) -> None:
    """E9: a number that stands for a bullet goes, one that belongs to its sentence stays."""
    assert contents("\n".join(lines)) == kept


@pytest.mark.parametrize(
    ("line", "content"),
    [
        ('"Kit likes tea."', "Kit likes tea."),
        ('"Kit likes tea.",', "Kit likes tea."),
        ("- “Kit likes tea.”", "Kit likes tea."),
        ("'don't ship fridays'", "don't ship fridays"),
        ('6" of snow', '6" of snow'),
        ('"6" of snow', '"6" of snow'),
        ('"Yes" and "no"', '"Yes" and "no"'),
        ("'tis late", "'tis late"),
        ('He said "go"', 'He said "go"'),
        ("-5 degrees in Ayr", "-5 degrees in Ayr"),
        ("*Ada* runs", "*Ada* runs"),
        ("#934 is open", "#934 is open"),
        ("[docs](https://x.example) moved", "[docs](https://x.example) moved"),
        ("## Preferences", "Preferences"),
        ("> quoted", "quoted"),
    ],
)
def test_quotes_and_marks_go_only_where_they_are_markers(line: str, content: str) -> None:
    """E9, case 132."""
    assert contents(line) == [content]


def test_a_stray_quote_swallows_nothing() -> None:
    """E9, case 132: five hundred lines with `6" of snow` on the third are five hundred memories."""
    lines = [f"Fact number {number}" for number in range(500)]
    lines[2] = '6" of snow'

    assert contents("\n".join(lines)) == lines


def test_markdown_is_read_by_the_stated_rules() -> None:
    """E9, case 130: front matter is skipped and reported, a code block and a table row kept."""
    text = (
        "---\ntitle: Notes\ntags:\n  - a\n---\n# Team\n\nKit lives in Ayr.\n"
        "```python\nx = 1\n\n- y\n```\n"
        "| Name | City |\n|:---|---:|\n| Ada | Oban |\n| Ravi | |\n***\n"
        '{"content": "looks like JSON"}\n{\n'
    )

    reading = read_import(text)

    assert reading.format == "lines"
    assert [(item.number, item.skipped or item.text) for item in reading.items] == [
        (2, "front matter"),
        (3, "front matter"),
        (4, "front matter"),
        (6, "Team"),
        (8, "Kit lives in Ayr."),
        (9, "x = 1\n\n- y"),
        (16, "Name: Ada; City: Oban"),
        (17, "Name: Ravi"),
        (19, '{"content": "looks like JSON"}'),
        (20, "{"),
    ]


def test_a_fence_that_never_closes_is_a_line() -> None:
    assert contents("```\nKit lives in Ayr.\n- Ada runs") == [
        "```",
        "Kit lives in Ayr.",
        "Ada runs",
    ]


@pytest.mark.parametrize(
    "text",
    ["```x\n" * 40_000, "|\n" * 40_000, "--" + " " * 400_000 + "x", "- " * 100_000, '"' * 200_000],
    ids=["fences", "bars", "spaces", "bullets", "quotes"],
)
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    started = time.process_time()

    read_import(text)

    assert time.process_time() - started < 5


words = st.text(
    st.characters(categories=("Ll", "Lu", "Nd"), include_characters=" \"'.,-"),
    min_size=1,
    max_size=30,
).map(lambda text: f"Fact {text} end")
decorations = st.sampled_from(
    ["{}", "- {}", "* {}", "  • {}", "\t– {}", "- [ ] {}", "[x] {}", '"{}"', "> {}", "+ {}"]
)


@given(st.lists(st.tuples(words, decorations), min_size=1, max_size=40))
@settings(max_examples=2_000, deadline=None)
def test_no_generated_list_loses_or_invents_a_memory(lines: list[tuple[str, str]]) -> None:
    """E9: what was decorated comes back as it was, in order, each with the number of its line."""
    text = "\n".join(shape.replace("{}", word) for word, shape in lines)

    items = read_import(text).items

    stripped = [item.text.removeprefix('"').removesuffix('"') for item in items]
    assert stripped == [word for word, _ in lines]
    assert [item.number for item in items] == list(range(1, len(lines) + 1))


@given(st.lists(words, min_size=1, max_size=150), st.sampled_from([".", ")"]))
@settings(max_examples=500, deadline=None)
def test_no_numbered_list_keeps_a_number_or_loses_one_of_its_own(
    texts: list[str], sign: str
) -> None:
    """E9."""
    text = "\r\n".join(f"{number}{sign} {word}" for number, word in enumerate(texts, start=1))

    assert contents(text) == texts


@given(
    st.lists(
        st.tuples(words, st.sampled_from(["- {}", "* {}", "#. {}", "#) {}", "(#) {}"])),
        min_size=1,
        max_size=40,
    )
)
@settings(max_examples=500, deadline=None)
def test_no_list_of_mixed_signs_keeps_one(lines: list[tuple[str, str]]) -> None:
    """E9: each line has a bullet or its own number, at random; one bullet says that it is a list."""
    text = "- Fact 0\n" + "\n".join(
        shape.replace("#", str(number)).replace("{}", word)
        for number, (word, shape) in enumerate(lines, start=2)
    )

    assert contents(text) == ["Fact 0", *(word for word, _ in lines)]


@given(st.text(max_size=300))
@settings(max_examples=1_000, deadline=None)
def test_any_text_keeps_every_letter(text: str) -> None:
    """E9: whatever the shape, no letter is lost that isn't a marker."""
    reading = read_import("Start " + text.replace("|", "").replace("`", "").replace("~", ""))

    kept = sum(character.isalpha() for item in reading.items for character in item.text)
    assert kept >= sum(map(str.isalpha, text)) - 2 * len(reading.items)
