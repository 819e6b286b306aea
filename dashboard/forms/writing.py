"""What people type into the editor, as the services take it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.values import Changes, Draft, parse_changes, parse_draft
from memory_app.models import Memory

FIELDS = ("title", "content", "category", "collection")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The editor's fields as they stand in the form, so that nothing typed is lost on a refusal."""

    title: str = ""
    content: str = ""
    category: str = ""
    collection: str = ""
    tags: str = ""
    expected_watermark: str = ""

    def draft(self, *, source: str) -> Draft:
        """Raises `InvalidArgument` that names the field."""
        return parse_draft(
            content=self.content,
            title=self.title,
            tags=self._tag_list(),
            category=self.category,
            collection=self.collection,
            default_source=source,
        )

    def changes(self) -> Changes:
        """Every field of the editor; an empty one clears. Raises `InvalidArgument`."""
        return parse_changes(
            {name: getattr(self, name) for name in FIELDS} | {"tags": self._tag_list()}
        )

    def watermark(self) -> int:
        """The version the person saw. Raises `InvalidArgument` when the form lost it."""
        return parse_watermark(self.expected_watermark, field="expected_watermark")

    def _tag_list(self) -> list[str]:
        return [tag for part in self.tags.split(",") if (tag := part.strip())]


def parse_watermark(text: str, *, field: str) -> int:
    """A place in the ledger. Raises `InvalidArgument` for anything but a number that fits one."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise InvalidArgument(
            f"{field} must be a whole number.",
            hint="Open the editor again, so that it knows the version you see.",
            field=field,
        )
    return int(text)


def read_written(form: QueryDict) -> Written:
    return Written(
        tags=form.get("tags", ""),
        expected_watermark=form.get("expected_watermark", ""),
        **{name: form.get(name, "") for name in FIELDS},
    )


def written_from(memory: Memory) -> Written:
    """The editor as it opens."""
    return Written(
        tags=", ".join(memory.tags),
        expected_watermark=str(memory.head_watermark),
        **{name: getattr(memory, name) for name in FIELDS},
    )


def written_from_version(memory: Memory, body: Mapping[str, Any]) -> Written:
    """The editor with an older version in it; saving it replaces the present one."""
    return Written(
        tags=", ".join(body.get("tags", ())),
        expected_watermark=str(memory.head_watermark),
        **{name: str(body.get(name) or "") for name in FIELDS},
    )
