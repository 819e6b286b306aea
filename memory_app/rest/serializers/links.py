"""Links between memories, as REST takes and gives them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memory_app.models import Link
from memory_app.rest.fields import Choice, Label
from memory_app.services.linking import TYPES

# Named for the API description's shared types.
LINK_TYPES = tuple(Link.Type.values)


class MemoryLinkIn(serializers.Serializer[Any]):
    target = Label(least=1, help_text="Id or slug of the other memory.")
    type = Choice(choices=TYPES)


class MemoryLinkOut(serializers.Serializer[Any]):
    """A directed link; `score` is the cosine of a `vector_neighbor`, `until` the end of an ended one."""

    id = serializers.CharField()
    type = serializers.ChoiceField(choices=LINK_TYPES)
    source = serializers.CharField()  # type: ignore[assignment]
    target = serializers.CharField()
    actor = serializers.CharField()
    score = serializers.FloatField(required=False)
    created_at = serializers.DateTimeField()
    since = serializers.IntegerField()
    until = serializers.IntegerField(required=False)


class MemoryLinksOut(serializers.Serializer[Any]):
    links = MemoryLinkOut(many=True)
    next_cursor = serializers.CharField(required=False)
