"""Bulk changes, merges and saved views, as REST takes and gives them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memory_app.domain.text import CONTENT_LIMIT, SOURCE_LIMIT, TITLE_LIMIT
from memory_app.models import BulkItem, BulkOperation
from memory_app.rest.fields import Choice, Flag, Integer, Label, Names, Object, Tags, Text
from memory_app.rest.paging import PageIn
from memory_app.rest.serializers.memories import WATERMARK_MOST, MemoryOut
from memory_app.services.bulk.actions import ACTIONS
from memory_app.services.bulk.merging import MOST
from memory_app.services.bulk.selection import IDS_LIMIT
from memory_app.services.saved_views import NAME_LIMIT, QUERY_LIMIT

STATUSES = tuple(BulkOperation.Status.values)
STATES = tuple(BulkItem.State.values)
ACTION_NAMES = tuple(ACTIONS)


class FilterIn(serializers.Serializer[Any]):
    """All memories that a filter finds."""

    filter = Object(help_text="The filters that the list of memories takes; {} for all live.")


class IdsIn(serializers.Serializer[Any]):
    """Some memories by id."""

    ids = Names(most=IDS_LIMIT, help_text="Ids of memories.")


class ActionIn(serializers.Serializer[Any]):
    """What to do, with the argument that it needs."""

    action = Choice(choices=ACTION_NAMES)
    tags = Tags(required=False, help_text="For add_tags and remove_tags.")
    category = Label(required=False, help_text="For set_category; empty to clear.")
    collection = Label(required=False, help_text="For set_collection; empty to clear.")
    reason = Label(limit=300, required=False, help_text="For retire.")


class BulkFilterIn(ActionIn, FilterIn):
    """One action for all memories that a filter finds."""


class BulkIdsIn(ActionIn, IdsIn):
    """One action for some memories by id."""


class BulkPreviewOut(serializers.Serializer[Any]):
    """What a bulk change would touch."""

    matching = serializers.IntegerField()
    examples = MemoryOut(many=True)


class BulkFailureOut(serializers.Serializer[Any]):
    memory = serializers.CharField(required=False)
    question = serializers.CharField(
        required=False, help_text="Of a decision on many: the proposal, or the pinned memory."
    )
    state = serializers.ChoiceField(choices=STATES)
    reason = serializers.CharField()


class BulkOut(serializers.Serializer[Any]):
    """How far a bulk change is; `failures` are the first hundred that were left out, with why."""

    id = serializers.CharField()
    action = serializers.CharField()
    arguments = serializers.DictField()
    selection = serializers.DictField()
    status = serializers.ChoiceField(choices=STATUSES)
    total = serializers.IntegerField()
    actor = serializers.CharField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(required=False)
    counts = serializers.DictField(child=serializers.IntegerField(), required=False)
    failures = BulkFailureOut(many=True, required=False)


class BulkListIn(PageIn):
    """Pages of bulk changes."""


class BulkPageOut(serializers.Serializer[Any]):
    operations = BulkOut(many=True)
    next_cursor = serializers.CharField(required=False)


class MergeIn(serializers.Serializer[Any]):
    """The memory to keep, those that go into it, and what the kept one says from then on."""

    keep = Label(least=1)
    others = Names(most=MOST - 1)
    expected_watermark = Integer(least=0, most=WATERMARK_MOST, required=False)
    content = Text(limit=CONTENT_LIMIT, least=1, required=False)
    title = Label(limit=TITLE_LIMIT, required=False)
    tags = Tags(required=False, help_text="The tags of all when absent.")
    category = Label(required=False)
    collection = Label(required=False)
    source = Label(limit=SOURCE_LIMIT, required=False)  # type: ignore[assignment]
    project = Label(required=False)
    confidence = Label(limit=20, required=False)


class MergedOut(serializers.Serializer[Any]):
    """The memory that stands for all, and the bulk operation whose undo takes them apart."""

    memory = MemoryOut()
    operation = serializers.CharField()


class ViewIn(serializers.Serializer[Any]):
    """A name for a query of the list."""

    name = Label(limit=NAME_LIMIT, least=1)
    query = Text(limit=QUERY_LIMIT, required=False, help_text="As in tag=deploy&state=retired.")
    shared = Flag(required=False, help_text="Whether all who may read the bank see it.")


class ViewChangesIn(serializers.Serializer[Any]):
    name = Label(limit=NAME_LIMIT, least=1, required=False)
    query = Text(limit=QUERY_LIMIT, required=False)
    shared = Flag(required=False)


class ViewOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    name = serializers.CharField()
    query = serializers.CharField()
    shared = serializers.BooleanField()
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class ViewsOut(serializers.Serializer[Any]):
    views = ViewOut(many=True)
