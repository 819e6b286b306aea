"""Families G to J: encodings, search text, length and emptiness, tags."""

from __future__ import annotations

import json
from typing import Any

from tests.cases.stage import Stage

ARABIC = "الاجتماع يوم الأحد في حيفا."
HEBREW = "הפגישה ביום ראשון בחיפה."


def nul_is_refused_or_finds_nothing(stage: Stage) -> None:
    """30: wherever a NUL stands, the server answers."""
    if stage.over_mcp:
        outcomes = [stage.door.search("\x00"), stage.door.search("x", tags=["\x00"])]
    else:
        outcomes = [
            stage.rest.ask("GET", "search", q="\x00"),
            stage.rest.ask("GET", "search", tag="\x00"),
            stage.rest.ask("GET", "memories", cursor="\x00"),
            stage.rest.ask("GET", "memories/%00"),
        ]

    assert {outcome.code for outcome in outcomes} == {"invalid_argument"}


def emoji_are_never_halved(stage: Stage) -> None:
    """32: whatever is cut is cut between two characters."""
    family = "👨‍👩‍👧‍👦"
    texts = ["a" * 299 + stage.quoted[0], f"{'b' * 199}{family}", f"{'c' * 198}🇫🇷🇯🇵"]
    for text in texts:
        stage.door.save(text)
    report = stage.rest.ask("POST", "imports", {"text": "\n".join(texts)}).body

    found = stage.door.search().contents

    assert sorted(found) == sorted(texts)
    shown = "".join(row["text"] for row in report["lines"])
    assert shown.encode("utf-8").decode() == shown
    assert all(family in row["text"] or "👨" not in row["text"] for row in report["lines"])


def override_is_visible_and_true_text_unchanged(stage: Stage) -> None:
    """34: the record holds what was sent; an agent's text shows the override as an escape."""
    disguised = stage.quoted[0]
    for text in (disguised, ARABIC, HEBREW):
        assert stage.door.save(text).memory["content"] == text

    answer = stage.door.search()

    assert sorted(answer.contents) == sorted([disguised, ARABIC, HEBREW])
    if stage.over_mcp:
        assert "\u202e" not in answer.text
        assert ARABIC in answer.text


def japanese_is_found(stage: Stage) -> None:
    """36: words without spaces, and full-width Latin."""
    term, *queries = stage.quoted
    content = f"Cloud の{term}を変更しました。"
    stage.door.save(content)
    stage.door.save("The bakery opens at seven.")

    found = [stage.door.search(query).contents for query in queries]

    assert [contents[0] for contents in found] == [content] * len(queries)


def names_accepted_on_write_filter_on_read(stage: Stage) -> None:
    """38: a hyphen, a dot, an ampersand."""
    texts = ["The pier is made of oak.", "Invoices go to Marten.", "A bus leaves each hour."]
    for text, name in zip(texts, stage.quoted, strict=True):
        stage.rest.save(text, tags=[name], collection=name)

    for text, name in zip(texts, stage.quoted, strict=True):
        expected = [text]
        assert stage.door.search("pier", tags=[name]).contents == expected
        assert stage.rest.search("pier", collection=name).contents == expected
        assert [row["content"] for row in stage.listed(tags=name)] == expected
        assert [row["content"] for row in stage.listed(collection=name)] == expected


def apostrophes_are_one(stage: Stage) -> None:
    """40: straight and curly quotes find the same rows."""
    curly, straight = str.maketrans("'", "’"), str.maketrans("’‘", "''")
    for query in stage.quoted:
        stage.door.save(f"Somebody said: {query.translate(curly)}.")

    for query in stage.quoted:
        one = stage.door.search(query.translate(curly)).contents
        other = stage.door.search(query.translate(straight)).contents
        assert one == other
        assert one


def empty_is_refused(stage: Stage) -> None:
    """42: an error that names content; nothing stored."""
    outcomes = [
        stage.door.save(),
        stage.door.save(None),
        stage.door.save(7),
        stage.door.save(""),
        stage.door.save(" \n\t"),
    ]

    assert {outcome.code for outcome in outcomes} == {"invalid_argument"}
    assert all("content" in outcome.message for outcome in outcomes)
    assert stage.listed() == []


def over_long_is_refused_alike(stage: Stage) -> None:
    """44: create, edit, import and restore pass the same check."""
    long = "x" * 10_001
    memory = stage.door.save("A short one.").memory

    created = stage.door.save(long)
    edited = stage.rest.ask("PATCH", f"memories/{memory['id']}", {"content": long})
    many = stage.rest.ask("POST", "memories", {"memories": [{"content": long}]})
    imported = stage.rest.ask("POST", "imports", {"text": long}).body

    assert {outcome.code for outcome in (created, edited, many)} == {"content_too_long"}
    assert [row["outcome"] for row in imported["lines"]] == ["refused"]
    assert len(stage.listed()) == 1


def monstrous_words_are_stored_or_refused(stage: Stage) -> None:
    """46: without a single space, in emoji, and far too long."""
    letters, emoji = "x" * 9_900, "🦊" * 9_900

    outcomes = [stage.door.save(letters), stage.door.save(emoji), stage.door.save("word " * 40_000)]

    assert [outcome.code for outcome in outcomes] == ["", "", "content_too_long"]
    keyword = {"query": letters[:100], "mode": "keyword"}
    assert stage.rest.ask("POST", "recall", keyword).hits[0]["id"] == outcomes[0].memory["id"]
    assert stage.door.search("🦊🦊🦊", limit=1).hits[0]["id"] == outcomes[1].memory["id"]
    assert len(stage.listed()) == 2


def tags_fold(stage: Stage) -> None:
    """48: one tag, one count, found whatever the case."""
    tags, asked = json.loads(stage.quoted[0]), stage.quoted[1]
    stage.door.save("The sheet lists the allowed metals.", tags=tags)

    counted = stage.rest.ask("GET", "tags").body["tags"]

    assert counted == [{"tag": asked.lower(), "count": 1}]
    assert len(stage.door.search("metals", tags=[asked]).hits) == 1
    assert len(stage.listed(tags=asked)) == 1


def tag_lists_are_split_or_refused(stage: Stage) -> None:
    """50: a string is split at commas; what can't be a tag is refused; nothing becomes letters.

    Over MCP a null among the tags is dropped, since clients send it for nothing; REST refuses it.
    """
    split = stage.rest.save("Split.", tags=json.loads(stage.quoted[0])).memory["tags"]
    folded = stage.door.save("Folded.", tags=["one", "One", " one "]).memory["tags"]
    wrong: list[Any] = [["a,b"], [f"t{n}" for n in range(21)], ["t" * 300], [1, True]]

    refused = [stage.door.save("Refused.", tags=tags) for tags in wrong]
    stage.door.save("Nothing is no tag.", tags=[None])

    assert split == ["alpha", "beta"]
    assert folded == ["one"]
    assert all(outcome.code for outcome in refused)
    assert all("tags" in outcome.message for outcome in refused)
    tags = {tag["tag"] for tag in stage.rest.ask("GET", "tags").body["tags"]}
    assert tags == {"alpha", "beta", "one"}
    assert len(stage.listed()) == (3 if stage.over_mcp else 2)


REPLAYS = {
    30: nul_is_refused_or_finds_nothing,
    32: emoji_are_never_halved,
    34: override_is_visible_and_true_text_unchanged,
    36: japanese_is_found,
    38: names_accepted_on_write_filter_on_read,
    40: apostrophes_are_one,
    42: empty_is_refused,
    44: over_long_is_refused_alike,
    46: monstrous_words_are_stored_or_refused,
    48: tags_fold,
    50: tag_lists_are_split_or_refused,
}
