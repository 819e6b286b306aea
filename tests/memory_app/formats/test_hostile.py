"""Files that are made to hurt, or merely odd: each answered soon, by itself, with a reason."""

from __future__ import annotations

import io
import zipfile

import pytest

from memory_app.domain.errors import InvalidArgument
from memory_app.formats import Document, Reading, documents_of, read_document

NOTE = "---\ntitle: T\npermalink: t\n---\n"


def documents(data: bytes, name: str = "a.txt") -> list[Document]:
    return list(documents_of(name, io.BytesIO(data)))


def read(data: bytes, name: str = "a.txt") -> Reading:
    (document,) = documents(data, name)
    assert not document.problem
    return read_document(document.text, name=name)


@pytest.mark.parametrize(
    "line",
    [
        "- [a] " + "(" * 100_000,
        "- [a] x" + " (" * 50_000,
        "- " + "[[" * 100_000,
        "- x " + " #a" * 100_000,
        "- x " + "#a" * 100_000,
        "- [a] x" + " " * 100_000 + "y",
        "- [a] @" + "1" * 100_000 + " x",
        "- " + "a " * 100_000 + "[[x]]",
        '- "' + "a" * 100_000 + " [[x]]",
        "- " + "`" * 100_001 + " [[x]]",
    ],
    ids=lambda line: line[:12],
)
def test_a_line_without_end_is_one_item_and_costs_no_more_than_its_length(line: str) -> None:
    """A pattern that steps back over it would take hours."""
    assert len(read_document(NOTE + line, form="basic_memory").wanted) == 1


@pytest.mark.parametrize("data", [b"[" * 200_000 + b"]" * 200_000, b'{"a":' * 100_000])
def test_nesting_without_end_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidArgument):
        read(data, "a.json")


def test_a_nul_spoils_its_own_row_only() -> None:
    reading = read(b"content,tags\nhello\x00 there,a\nfine,b\n", "a.csv")

    assert [item.fields["tags"] for item in reading.items] == [["a"], ["b"]]


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("Café\nNaïve".encode("latin-1"), "windows-1252"),
        (b"\xff\xfe" + "Café\nNaïve".encode("utf-16-le"), "utf-16"),
        (b"\xfe\xff" + "Café\nNaïve".encode("utf-16-be"), "utf-16"),
        ("Café\nNaïve".encode("utf-16-be"), "utf-16-be"),
        (b"\xef\xbb\xbf" + "Café\nNaïve".encode(), "utf-8"),
    ],
)
def test_old_encodings_are_read_and_named(data: bytes, encoding: str) -> None:
    (document,) = documents(data)

    assert (document.text.lstrip("\ufeff"), document.encoding) == ("Café\nNaïve", encoding)


def test_lines_end_as_they_like_within_one_file() -> None:
    reading = read("one\r\ntwo\rthree\nfour\u2028five\x0bsix\x0cseven".encode())

    assert [item.text for item in reading.items] == [
        *("one", "two", "three", "four", "five", "six", "seven")
    ]


@pytest.mark.parametrize(
    "page", ["<!DOCTYPE html><html></html>", "<!-- saved -->\n<html lang=en>", "\n <HTML>"]
)
def test_a_web_page_is_no_list_of_memories(page: str) -> None:
    """The archives of assistants hold one beside the data; its markup must not come in."""
    (document,) = documents(page.encode(), "chat.html")

    assert "web page" in document.problem


def test_ten_thousand_notes_in_one_archive_are_read() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(10_000):
            archive.writestr(f"{number // 100}/{number}.md", f"- Note {number} is short.")

    found = documents(packed.getvalue(), "vault.zip")

    assert len(found) == 10_000
    assert not any(document.problem for document in found)


@pytest.mark.parametrize(
    "name", ["../../evil.md", "/etc/evil.md", "C:\\evil.md", "a\\..\\..\\b.md"]
)
def test_a_name_outside_the_archive_is_refused_by_itself(name: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, "- Out.")
        archive.writestr("ok.md", "- In.")

    problems = {document.name: bool(document.problem) for document in documents(packed.getvalue())}

    assert sorted(problems.values()) == [False, True]
    assert problems["ok.md"] is False
