"""Archives of untrusted origin: limits hold for what comes out, names never leave the archive."""

from __future__ import annotations

import io
import stat
import struct
import zipfile

import pytest

from memory_app.domain.errors import InvalidArgument
from memory_app.formats import Document, archives, documents_of


def packed(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file


def read(file: io.BytesIO, name: str = "a.zip") -> dict[str, Document]:
    return {document.name: document for document in documents_of(name, file)}


def test_clutter_is_left_out_and_everything_else_named() -> None:
    found = read(
        packed({"notes/a.md": b"Kit", "__MACOSX/a": b"x", ".git/b": b"x", "c.txt": b"Ada"})
    )

    assert {name: document.text for name, document in found.items()} == {
        "notes/a.md": "Kit",
        "c.txt": "Ada",
    }


@pytest.mark.parametrize(
    "name", ["../a.txt", "/etc/a.txt", "C:/a.txt", "x/../../a.txt", "..\\a.txt"]
)
def test_names_that_point_outside_are_refused(name: str) -> None:
    (document,) = read(packed({name: b"Kit"})).values()

    assert "outside" in document.problem
    assert document.text == ""


def test_an_archive_in_an_archive_is_not_opened() -> None:
    inner = packed({"a.txt": b"Kit"}).getvalue()

    assert "archive inside" in read(packed({"inner.zip": inner}))["inner.zip"].problem


def test_a_bomb_is_given_up_before_it_is_unpacked() -> None:
    bomb = packed({"bomb.txt": b"0" * 20_000_000})

    assert len(bomb.getvalue()) < 100_000
    assert "tightly" in read(bomb)["bomb.txt"].problem


def test_a_member_that_claims_to_be_small_is_stopped_at_its_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(archives, "MEMBER_BYTES", 1_000_000)
    monkeypatch.setattr(archives, "RATIO_FROM", 10**9)
    lying = packed({"a.txt": b"0" * 3_000_000})
    raw = bytearray(lying.getvalue())
    directory = raw.index(b"PK\x01\x02")
    raw[directory + 24 : directory + 28] = struct.pack("<I", 10)

    (document,) = read(io.BytesIO(bytes(raw))).values()

    assert document.problem


def test_too_much_in_all_is_refused_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "TOTAL_BYTES", 1_000)

    with pytest.raises(InvalidArgument):
        read(packed({f"{n}.txt": b"x" * 400 for n in range(4)}))


def test_too_many_members_are_refused_before_they_are_listed() -> None:
    with pytest.raises(InvalidArgument) as refused:
        read(packed({f"{n}": b"" for n in range(20_001)}, zipfile.ZIP_STORED))

    assert "entries" in refused.value.message


@pytest.mark.parametrize(
    "data", [b"PK\x03\x04", b"PK\x03\x04" + b"x" * 500, b"PK\x05\x06" + b"\0" * 9]
)
def test_a_damaged_archive_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidArgument):
        read(io.BytesIO(data))


def test_links_and_encrypted_members_are_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("locked", "Kit")
    raw = bytearray(file.getvalue())
    second = raw.rindex(b"PK\x01\x02")
    raw[second + 8] |= 1

    found = read(io.BytesIO(bytes(raw)))

    assert "link" in found["link"].problem
    assert "encrypted" in found["locked"].problem


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        ("Zoë".encode(), "Zoë", "utf-8"),
        ("\ufeffZoë".encode(), "Zoë", "utf-8"),
        ("Zoë".encode("utf-16"), "Zoë", "utf-16"),
        ("Zoë sings".encode("utf-16-le"), "Zoë sings", "utf-16-le"),
        ("Zoë sings".encode("utf-16-be"), "Zoë sings", "utf-16-be"),
        ("Zoë".encode("utf-32"), "Zoë", "utf-32"),
        ("Zoë “sings”".encode("cp1252"), "Zoë “sings”", "windows-1252"),
        ("Zo\xeb \x81".encode("latin-1"), "Zoë \x81", "latin-1"),
        (b"", "", "utf-8"),
    ],
)
def test_a_text_is_read_in_the_encoding_it_was_saved_in(
    data: bytes, text: str, encoding: str
) -> None:
    (document,) = documents_of("a.txt", io.BytesIO(data))

    assert (document.text, document.encoding) == (text, encoding)


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\x00\x00\x01", b"\x7fELF\x02\x01\x01\x00" * 9])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    (document,) = documents_of("a.txt", io.BytesIO(data))

    assert document.problem
