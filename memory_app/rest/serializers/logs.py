"""What was done and used: usage, health, ledger, activity, proposals, imports."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memory_app.rest.fields import Integer

HEALTH_STATUSES = ("ok", "degraded")


class UsageIn(serializers.Serializer[Any]):
    days = Integer(least=1, most=400, required=False, help_text="How far back; 30 when absent.")


class DayOut(serializers.Serializer[Any]):
    day = serializers.DateField()
    operations = serializers.IntegerField()
    writes = serializers.IntegerField()
    searches = serializers.IntegerField()


class UsageOut(DayOut):
    """A write or a search is one operation; the profile is none. Resets at 00:00 UTC."""

    cap = serializers.IntegerField()
    remaining = serializers.IntegerField()
    resets_at = serializers.DateTimeField()
    days = DayOut(many=True)


class HealthOut(serializers.Serializer[Any]):
    status = serializers.ChoiceField(choices=HEALTH_STATUSES)
    embedding_model = serializers.CharField()
    dimensions = serializers.IntegerField()
    head_watermark = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField())
