"""Notes and links, as REST takes and gives them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memory_app.domain.names import NAME_LIMIT, RELATION_LIMIT
from memory_app.domain.stated import ENTITIES_LIMIT, NOTE_LIMIT, RELATIONS_LIMIT, parse_end
from memory_app.domain.text import QUERY_LIMIT
from memory_app.rest.fields import Anything, Integer, Label, Object, Tags, Text, name_of
from memory_app.services.notes import RECENT_LIMIT

HOPS_LIMIT = 3
LIMIT_MOST = 50


class NoteIn(serializers.Serializer[Any]):
    """A text with the entities it names and the relations it states."""

    text = Text(limit=NOTE_LIMIT, least=1)
    entities = Anything(
        most=ENTITIES_LIMIT, required=False, help_text="Objects: name, label?, description?."
    )
    relations = Anything(
        most=RELATIONS_LIMIT, required=False, help_text="Objects: from, type, to, props?."
    )
    tags = Tags(required=False)
    props = Object(required=False)


class NoteListIn(serializers.Serializer[Any]):
    limit = Integer(least=1, most=RECENT_LIMIT, required=False, help_text="10 when absent.")


class NoteRecallIn(serializers.Serializer[Any]):
    """Key words, an entity, or both."""

    query = Text(limit=QUERY_LIMIT, required=False)
    entity = Label(limit=NAME_LIMIT, required=False, help_text="Exact name, alias or id.")
    hops = Integer(least=0, most=HOPS_LIMIT, required=False, help_text="1 when absent.")
    limit = Integer(least=1, most=LIMIT_MOST, required=False, help_text="10 when absent.")


@extend_schema_field(
    {
        "type": "object",
        "properties": {
            "label": {"type": "string"},
            "name": {"type": "string"},
            "id": {"type": "string"},
        },
        "example": {"name": "Sample"},
        "description": "An entity: name with label, or the id of an existing one.",
    }
)
class End(serializers.Field[Any, Any, Any, Any]):
    """One end of a link."""

    def to_internal_value(self, data: Any) -> Any:
        return parse_end(data, field=name_of(self))

    def to_representation(self, value: Any) -> Any:
        return value


class LinkIn(serializers.Serializer[Any]):
    """A relationship without a text."""

    source = End()  # type: ignore[assignment]
    type = Text(limit=RELATION_LIMIT, least=1, lines=False)
    target = End()
    props = Object(required=False)


class NoteOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    hash = serializers.CharField()
    text = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    author = serializers.CharField()
    created_at = serializers.DateTimeField()
    props = serializers.DictField(required=False)
    truncated = serializers.BooleanField(required=False)


class NoteNodeOut(serializers.Serializer[Any]):
    """A memory or an entity of the graph; a memory's node holds its id alone."""

    id = serializers.CharField()
    name = serializers.CharField(required=False)
    label = serializers.CharField(required=False)  # type: ignore[assignment]
    kind = serializers.CharField(required=False)
    distance = serializers.IntegerField(required=False)


class EdgeOut(serializers.DictField):
    """A relationship: id, from, type, to, props?."""


class RememberedOut(serializers.Serializer[Any]):
    memory = NoteOut()
    entities = NoteNodeOut(many=True)
    edges = serializers.ListField(child=EdgeOut())


class LinkedOut(serializers.Serializer[Any]):
    nodes = NoteNodeOut(many=True)
    edge = EdgeOut()


class NotesOut(serializers.Serializer[Any]):
    memories = NoteOut(many=True)
    dropped = serializers.DictField(child=serializers.IntegerField(), required=False)


class ReachedOut(serializers.Serializer[Any]):
    """`score` is 2 for each word of the query, and 1 / (1 + distance)."""

    memory = NoteOut()
    score = serializers.FloatField()
    distance = serializers.IntegerField()
    cosine = serializers.FloatField(required=False)
    truncated = serializers.BooleanField(required=False)


class NoteContextOut(serializers.Serializer[Any]):
    nodes = NoteNodeOut(many=True)
    edges = serializers.ListField(child=EdgeOut())


class NotesRecalledOut(serializers.Serializer[Any]):
    memories = ReachedOut(many=True)
    context = NoteContextOut()  # type: ignore[assignment]
    context_truncated = serializers.BooleanField()
    dropped = serializers.DictField(child=serializers.IntegerField(), required=False)


class HashOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    hash_valid = serializers.BooleanField()
    stored_hash = serializers.CharField()
    computed_hash = serializers.CharField()
