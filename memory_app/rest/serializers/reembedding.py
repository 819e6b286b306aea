"""A bank's second embedding model, as REST takes and gives it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memory_app.rest.fields import Label
from memory_app.services.reembedding import MODEL_LIMIT

# Named for the API description's shared types.
SECOND_MODEL_STATUSES = ("building", "ready", "kept")


class ReembeddingIn(serializers.Serializer[Any]):
    model = Label(limit=MODEL_LIMIT, least=1, help_text="The id of a model that the server runs.")


class SwitchIn(serializers.Serializer[Any]):
    to = Label(
        limit=MODEL_LIMIT,
        least=1,
        help_text="The id of the model to answer by; the bank's own changes nothing.",
    )


class SecondModelOut(serializers.Serializer[Any]):
    """`done` of `total` texts have a vector by it; one that is `kept` goes after `kept_until`."""

    model = serializers.CharField()
    status = serializers.ChoiceField(choices=SECOND_MODEL_STATUSES)
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    kept_until = serializers.DateTimeField(required=False)


class ReembeddingOut(serializers.Serializer[Any]):
    """`models` are those that could become the second one."""

    model = serializers.CharField()
    second = SecondModelOut(required=False)
    models = serializers.ListField(child=serializers.CharField())
