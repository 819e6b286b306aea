"""What was done and used: usage, health, ledger, activity."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memory_app.rest.fields import Choice, Integer, Label, Moment
from memory_app.rest.paging import PageIn

HEALTH_STATUSES = ("ok", "degraded")
ACTIVITY_KINDS = ("searched", "saved", "changed")
EVENT_KINDS = ("search", "change")


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


class WeaknessOut(serializers.Serializer[Any]):
    what = serializers.CharField()
    points = serializers.IntegerField()
    advice = serializers.CharField()


class RecallCostOut(serializers.Serializer[Any]):
    """Searches of the last `days`: how many found something, tokens handed out, counted saves."""

    days = serializers.IntegerField()
    reads = serializers.IntegerField()
    answered = serializers.IntegerField()
    tokens = serializers.IntegerField()
    saves = serializers.IntegerField()


class HealthOut(serializers.Serializer[Any]):
    """`score` is 100 less the points of what is weak. `stale`: old, unpinned, never recalled."""

    status = serializers.ChoiceField(choices=HEALTH_STATUSES)
    score = serializers.IntegerField()
    weak = WeaknessOut(many=True)
    recall = RecallCostOut()
    never_recalled = serializers.IntegerField()
    stale = serializers.IntegerField()
    stale_ids = serializers.ListField(child=serializers.CharField())
    embedding_model = serializers.CharField()
    dimensions = serializers.IntegerField()
    head_watermark = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField())


class LedgerListIn(PageIn):
    operation = Label(required=False)
    target = Label(required=False, help_text="Id of what was changed.")
    actor = Label(required=False, help_text="Id of the agent or person.")
    created_from = Moment(required=False)
    created_to = Moment(required=False)


class LedgerEntryOut(serializers.Serializer[Any]):
    """One mutation. `content` is absent where there was none or it was erased."""

    seq = serializers.IntegerField()
    id = serializers.CharField()
    at = serializers.DateTimeField()
    operation = serializers.CharField()
    target = serializers.CharField()
    actor = serializers.CharField()
    reason = serializers.CharField(required=False)
    before_watermark = serializers.IntegerField(required=False)
    after_watermark = serializers.IntegerField(required=False)
    request_id = serializers.CharField(required=False)
    door = serializers.CharField(required=False)
    tool = serializers.CharField(required=False)
    elapsed_ms = serializers.FloatField()
    counters = serializers.DictField(child=serializers.IntegerField())
    content = serializers.DictField(required=False)
    previous_hash = serializers.CharField()
    hash = serializers.CharField()


class LedgerPageOut(serializers.Serializer[Any]):
    entries = LedgerEntryOut(many=True)
    next_cursor = serializers.CharField(required=False)


class VerificationOut(serializers.Serializer[Any]):
    """Whether the chain holds; where not, the first number that is wrong, and why."""

    valid = serializers.BooleanField()
    entries = serializers.IntegerField()
    head_watermark = serializers.IntegerField()
    head_hash = serializers.CharField()
    broken_at = serializers.IntegerField(required=False)
    reason = serializers.CharField(required=False)


class ActivityIn(PageIn):
    kind = Choice(choices=ACTIVITY_KINDS, required=False)
    actor = Label(required=False, help_text="Id of the agent or person.")


class ActivityEventOut(serializers.Serializer[Any]):
    """A search (with `query` and `hits`) or a change (with `operation` and `target`)."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=EVENT_KINDS)
    at = serializers.DateTimeField()
    actor = serializers.CharField()
    door = serializers.CharField(required=False)
    tool = serializers.CharField(required=False)
    client = serializers.CharField(required=False)
    query = serializers.CharField(required=False)
    mode = serializers.CharField(required=False)
    filters = serializers.DictField(required=False)
    hits = serializers.ListField(child=serializers.DictField(), required=False)
    dropped = serializers.DictField(required=False)
    took_ms = serializers.FloatField(required=False)
    operation = serializers.CharField(required=False)
    target = serializers.CharField(required=False)
    reason = serializers.CharField(required=False)
    watermark = serializers.IntegerField(required=False)


class ActivityPageOut(serializers.Serializer[Any]):
    events = ActivityEventOut(many=True)
    next_cursor = serializers.CharField(required=False)
