"""Memories as REST takes them and gives them; the answers themselves come from `services.replies`."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memory_app.domain.text import CONTENT_LIMIT, QUERY_LIMIT, SOURCE_LIMIT, TITLE_LIMIT
from memory_app.queries.memories import STATES
from memory_app.rest.fields import (
    Choice,
    Flag,
    Happened,
    Integer,
    Items,
    Label,
    Moment,
    Object,
    Tags,
    Text,
)
from memory_app.rest.paging import PageIn
from memory_app.services.memories.saving import BATCH_LIMIT

WATERMARK_MOST = 10**15
MEMORY_STATUSES = ("active", "retired", "pending", "deleted")
SAVED_STATUSES = ("created", "known", "revived", "pending")


class DraftIn(serializers.Serializer[Any]):
    """One statement to remember."""

    content = Text(limit=CONTENT_LIMIT, least=1, help_text="One statement in the third person.")
    title = Label(limit=TITLE_LIMIT, required=False)
    tags = Tags(required=False)
    category = Label(required=False)
    collection = Label(required=False)
    source = Label(  # type: ignore[assignment]
        limit=SOURCE_LIMIT, required=False, help_text="Where it comes from; else the User-Agent."
    )
    project = Label(required=False)
    session = Label(limit=200, required=False)
    confidence = Label(limit=20, required=False)
    observed_at = Happened(required=False)
    props = Object(required=False)


class DraftsIn(serializers.Serializer[Any]):
    """Up to 500 statements, written together or not at all."""

    memories = Items(child=DraftIn(), most=BATCH_LIMIT)
    judge = Flag(
        required=False,
        help_text="Whether related memories are judged, as for a single one (the default).",
    )


class ChangesIn(serializers.Serializer[Any]):
    """An edit: what isn't given stays, an empty text clears a label."""

    expected_watermark = Integer(
        least=0,
        most=WATERMARK_MOST,
        required=False,
        help_text="The head_watermark the change is based on; If-Match says the same.",
    )
    content = Text(limit=CONTENT_LIMIT, least=1, required=False)
    title = Label(limit=TITLE_LIMIT, required=False)
    tags = Tags(required=False)
    category = Label(required=False)
    collection = Label(required=False)
    source = Label(limit=SOURCE_LIMIT, required=False)  # type: ignore[assignment]
    project = Label(required=False)
    confidence = Label(limit=20, required=False)
    observed_at = Happened(required=False)


class RetireIn(serializers.Serializer[Any]):
    """Why, and by what it is replaced."""

    reason = Label(limit=300, required=False)
    superseded_by = Label(required=False, help_text="Id or slug of the memory that replaces it.")


class MemoryListIn(PageIn):
    """Filters of the list; all that are given have to hold."""

    text = Text(limit=QUERY_LIMIT, required=False, help_text="Substring of content or title.")
    tags = Tags(required=False, help_text="Memories that carry all of them.")
    category = Label(required=False)
    collection = Label(required=False)
    author = Label(required=False, help_text="Id of the writing agent or person.")
    source = Label(limit=SOURCE_LIMIT, required=False)  # type: ignore[assignment]
    session = Label(limit=200, required=False)
    entity = Label(required=False, help_text="Id of an entity that the memory mentions.")
    pinned = Flag(required=False)
    state = Choice(choices=STATES, required=False, help_text="live when absent.")
    import_id = Label(required=False)
    created_from = Moment(required=False)
    created_to = Moment(required=False)


class MemoryOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    slug = serializers.CharField()
    content = serializers.CharField()
    title = serializers.CharField(required=False)
    tags = serializers.ListField(child=serializers.CharField())
    category = serializers.CharField(required=False)
    collection = serializers.CharField(required=False)
    source = serializers.CharField(required=False)  # type: ignore[assignment]
    project = serializers.CharField(required=False)
    session = serializers.CharField(required=False)
    props = serializers.DictField(required=False)
    author = serializers.CharField()
    author_name = serializers.CharField(required=False)
    confidence = serializers.CharField(required=False)
    observed_at = serializers.DateTimeField(required=False)
    observed_text = serializers.CharField(required=False)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    pinned = serializers.BooleanField()
    status = serializers.ChoiceField(choices=MEMORY_STATUSES)
    superseded_by = serializers.CharField(required=False)
    retired_reason = serializers.CharField(required=False)
    broken_rules = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Fields of an old row that would be refused today.",
    )
    created_watermark = serializers.IntegerField()
    head_watermark = serializers.IntegerField()
    hash = serializers.CharField()


class MemoryPageOut(serializers.Serializer[Any]):
    memories = MemoryOut(many=True)
    next_cursor = serializers.CharField(required=False)


class NamedMemoryOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    content = serializers.CharField()


class SavedOut(serializers.Serializer[Any]):
    """What became of a statement, and of the memories it touched."""

    status = serializers.ChoiceField(choices=SAVED_STATUSES)
    memory = MemoryOut()
    replaced = NamedMemoryOut(many=True)
    queued_for_review = NamedMemoryOut(many=True)


class SavedManyOut(serializers.Serializer[Any]):
    """One result for each statement, in the order sent."""

    results = SavedOut(many=True)
    counts = serializers.DictField(child=serializers.IntegerField())


class VersionOut(serializers.Serializer[Any]):
    """A memory as it stood from `since` until `until` (absent = still)."""

    since = serializers.IntegerField()
    until = serializers.IntegerField(required=False)
    actor = serializers.CharField()
    created_at = serializers.DateTimeField()
    content = serializers.CharField()
    title = serializers.CharField(required=False)
    hash = serializers.CharField()
    body = serializers.DictField()


class HistoryOut(serializers.Serializer[Any]):
    versions = VersionOut(many=True)


class TagOut(serializers.Serializer[Any]):
    tag = serializers.CharField()
    count = serializers.IntegerField()


class TagsOut(serializers.Serializer[Any]):
    tags = TagOut(many=True)


class ErasedOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    erased = serializers.BooleanField()
