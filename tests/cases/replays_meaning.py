"""Families A to D: what is the same, what is new, what is outdated."""

from __future__ import annotations

import unicodedata

from tests.cases.stage import Stage


def kept_apart(stage: Stage) -> None:
    """2, 4: two statements that differ in what matters are two memories."""
    texts = stage.quoted[-2:]

    outcomes = [stage.door.save(text) for text in texts]

    assert [outcome.body["status"] for outcome in outcomes] == ["created", "created"]
    assert [outcome.body["replaced"] for outcome in outcomes] == [[], []]
    assert [stage.status_of(text) for text in texts] == ["active", "active"]


def newer_is_kept(stage: Stage) -> None:
    """6: the newer fact is stored and found, and the reply says what happened to the rows."""
    older, newer = stage.quoted
    stage.door.save(older)

    outcome = stage.door.save(newer)

    replaced = [named["content"] for named in outcome.body["replaced"]]
    assert outcome.body["status"] == "created"
    assert newer in stage.door.search(newer).contents
    assert stage.status_of(newer) == "active"
    assert (stage.status_of(older) == "retired") == (older in replaced)


def addition_retires_nothing(stage: Stage) -> None:
    """8: an addition that contains a "not" leaves the older note where it was."""
    older, newer = stage.quoted
    stage.door.save(older)

    outcome = stage.door.save(newer)

    assert outcome.body["status"] == "created"
    assert [stage.status_of(text) for text in (older, newer)] == ["active", "active"]
    assert stage.door.search(older).contents[0] == older


def move_retires_the_old_place(stage: Stage) -> None:
    """10: both old facts are retired, and only the new ones answer."""
    for text in stage.quoted:
        stage.door.save(text)

    found = stage.door.search(stage.quoted[1]).contents

    assert [stage.status_of(text) for text in stage.quoted] == [
        "retired",
        "active",
        "retired",
        "active",
    ]
    assert stage.quoted[1] in found
    assert stage.quoted[0] not in found


def two_states_are_never_equal_looking(stage: Stage) -> None:
    """12: the new state comes first; the old one is retired, or shown as disputed."""
    older, newer, question = stage.quoted
    stage.door.save(older)
    stage.door.save(newer)

    hits = stage.door.search(question).hits

    assert hits[0]["content"] == newer
    assert all(hit.get("disputed_by") for hit in hits if hit["content"] == older)


def outdated_is_hidden_unless_asked_for(stage: Stage) -> None:
    """14: hidden by default on both doors, counted; shown with its status when asked."""
    memory = stage.door.save("The parcel depot closes at six.").memory
    stage.rest.ask("POST", f"memories/{memory['id']}/retire", {})

    hidden = stage.door.search("parcel depot")
    shown = stage.rest.search("parcel depot", include_retired=True)

    assert hidden.hits == []
    assert hidden.body["dropped"]["retired"] == 1
    assert [hit["status"] for hit in shown.hits] == ["retired"]


def repeats_inside_one_call_are_folded(stage: Stage) -> None:
    """16: one memory, and the reply says which items were folded."""
    line = "The night train leaves from platform four."
    if stage.over_mcp:
        outcomes = [stage.door.save(line).body["status"] for _ in range(3)]
    else:
        body = stage.rest.ask("POST", "memories", {"memories": [{"content": line}] * 3}).body
        outcomes = [result["status"] for result in body["results"]]

    report = stage.rest.ask("POST", "imports", {"text": f"{line}\n{line}\n{line}"}).body

    assert outcomes == ["created", "known", "known"]
    assert [row["outcome"] for row in report["lines"]] == ["known"] * 3
    assert len(stage.listed()) == 1


def both_unicode_forms_find_a_word(stage: Stage) -> None:
    """18: composed, decomposed and full-width spellings are one word."""
    *words, wide = stage.quoted
    for form in ("NFC", "NFD"):
        for number, word in enumerate(words):
            sentence = f"Desk {form}-{number} belongs to the {word} branch."
            stage.door.save(unicodedata.normalize(form, sentence))

    for word in words:
        for form in ("NFC", "NFD"):
            spelled = unicodedata.normalize(form, word)
            found = stage.door.search(spelled).contents
            plain = unicodedata.normalize("NFC", word)
            assert len([text for text in found if plain in text]) == 2
            keyword = stage.rest.ask("POST", "recall", {"query": spelled, "mode": "keyword"})
            assert len(keyword.hits) == 2
    assert [text for text in stage.door.search(wide).contents if words[0] in text]


REPLAYS = {
    2: kept_apart,
    4: kept_apart,
    6: newer_is_kept,
    8: addition_retires_nothing,
    10: move_retires_the_old_place,
    12: two_states_are_never_equal_looking,
    14: outdated_is_hidden_unless_asked_for,
    16: repeats_inside_one_call_are_folded,
    18: both_unicode_forms_find_a_word,
}
