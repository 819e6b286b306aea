"""Bytes of a text file as text, whatever it was saved in."""

from __future__ import annotations

import codecs

from memory_app.domain.errors import InvalidArgument

# The longer marks first: UTF-32's begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 4_096


def decode(data: bytes) -> tuple[str, str]:
    """The text and the encoding it was found to be in.

    A byte-order mark decides; else UTF-8 if it is valid, UTF-16 by where its zeros stand, and
    Windows-1252 (Latin-1 where that has gaps) for the rest. Raises `InvalidArgument` for what is no
    text: a picture, an archive, a program.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(data, encoding), encoding.removesuffix("-sig")
    if unmarked := _zeros(data[:_SAMPLE]):
        return _strict(data, unmarked), unmarked
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text, encoding = _single_byte(data)
    else:
        encoding = "utf-8"
    if _is_binary(text[:_SAMPLE]):
        raise _refused("The file is no text.")
    return text, encoding


def _strict(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as broken:
        raise _refused(
            f"The file begins like {encoding.upper()}, but byte {broken.start:,} breaks off."
        ) from None


def _zeros(sample: bytes) -> str:
    """UTF-16 without a mark: mostly Latin letters, so every second byte is zero."""
    if len(sample) < 4 or b"\x00" not in sample:
        return ""
    half = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.05 * half:
        return "utf-16-be"
    return ""


def _single_byte(data: bytes) -> tuple[str, str]:
    try:
        return data.decode("cp1252"), "windows-1252"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def _is_binary(sample: str) -> bool:
    odd = sum(
        character < " " and character not in "\t\n\r\v\f\x1b\x1c\x1d\x1e" for character in sample
    )
    return odd > 0.05 * len(sample)


def _refused(message: str) -> InvalidArgument:
    return InvalidArgument(
        message,
        hint="Save it as UTF-8 text, and send text, CSV, JSON, Markdown or a zip of these.",
        field="file",
    )
