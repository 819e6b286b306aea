"""The editor, as it opens and as it comes back when somebody else was quicker."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.forms.writing import Written
from dashboard.presenters.words import Piece, word_diff
from memory_app.domain.text import CONTENT_LIMIT
from memory_app.models import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """What stands in the memory now, and what saving the typed text would change in it."""

    current: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Editor:
    title: str
    content: str
    category: str
    collection: str
    tags: str
    expected_watermark: str
    cancel_url: str
    conflict: Clash | None = None
    content_limit: int = CONTENT_LIMIT


def present_editor(written: Written, *, cancel_url: str) -> Editor:
    return _editor(written, written.expected_watermark, cancel_url, None)


def present_conflict(written: Written, current: Memory, *, cancel_url: str) -> Editor:
    """The typed text stays; saving it again replaces the version that is shown beside it."""
    clash = Clash(
        current=current.content, pieces=tuple(word_diff(current.content, written.content))
    )
    return _editor(written, str(current.head_watermark), cancel_url, clash)


def _editor(written: Written, watermark: str, cancel_url: str, clash: Clash | None) -> Editor:
    return Editor(
        title=written.title,
        content=written.content,
        category=written.category,
        collection=written.collection,
        tags=written.tags,
        expected_watermark=watermark,
        cancel_url=cancel_url,
        conflict=clash,
    )
