"""The recall lab, receipts, gaps and memory tests, as REST takes and gives them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memory_app.domain.text import QUERY_LIMIT
from memory_app.models import GapDecision, MemoryTest
from memory_app.queries.proposals import PAGE_LIMIT
from memory_app.rest.fields import Choice, Flag, Fraction, Integer, Label, Text
from memory_app.rest.paging import PageIn
from memory_app.rest.serializers.memories import DraftIn, MemoryOut, SavedOut
from memory_app.rest.serializers.recall import HitOut, RecallIn
from memory_app.services.gaps import SNOOZE_MOST
from memory_app.services.memory_tests import NOTE_LIMIT, WITHIN_MOST
from memory_app.services.receipts import MOMENTS

DECISION_STATUSES = tuple(GapDecision.Status.values)
GAP_STATUSES = ("open", *DECISION_STATUSES)
TEST_STATUSES = tuple(MemoryTest.Status.values)
KINDS = ("gained", "lost", "moved", "same")


class LabIn(RecallIn):
    """Everything recall can be asked, as whom, and a memory to account for."""

    explain = None  # type: ignore[assignment]
    agent = Label(required=False, help_text="Id or slug of the agent to ask as; else oneself.")
    why = Label(limit=200, required=False, help_text="Id or slug of a memory: why not this one?")


class LabChannelOut(serializers.Serializer[Any]):
    """A channel's rank and score, and what it adds to the fused score."""

    rank = serializers.IntegerField()
    score = serializers.FloatField()
    adds = serializers.FloatField(required=False)


class LabHitOut(HitOut):
    fused = serializers.FloatField()
    channels = serializers.DictField(child=LabChannelOut())
    adjustments = serializers.DictField(child=serializers.FloatField())
    beside = serializers.ListField(child=serializers.CharField(), required=False)
    mentions = serializers.ListField(child=serializers.CharField(), required=False)


class StepOut(serializers.Serializer[Any]):
    stage = serializers.CharField()
    passed = serializers.BooleanField()
    reason = serializers.CharField()


class ReasonOut(serializers.Serializer[Any]):
    """Where a memory fell and by how much, after every stage that it passed."""

    memory = MemoryOut()
    stage = serializers.CharField()
    reason = serializers.CharField()
    steps = StepOut(many=True)
    missed_by = serializers.FloatField(required=False)
    unit = serializers.CharField(required=False)


class CutOut(serializers.Serializer[Any]):
    stage = serializers.CharField()
    count = serializers.IntegerField()
    memories = ReasonOut(many=True)


class AskerOut(serializers.Serializer[Any]):
    actor = serializers.CharField()
    tier = serializers.CharField()
    toolsets = serializers.ListField(child=serializers.CharField(), required=False)


class LabOut(serializers.Serializer[Any]):
    asked_as = AskerOut()
    memories = LabHitOut(many=True)
    profile = serializers.BooleanField()
    dropped = serializers.DictField(child=serializers.IntegerField())
    best_refused_score = serializers.FloatField(required=False)
    tokens = serializers.IntegerField()
    budget = serializers.IntegerField()
    watermark = serializers.IntegerField()
    has_vector = serializers.BooleanField()
    timings = serializers.DictField(child=serializers.FloatField())
    cut = CutOut(many=True)
    hidden = ReasonOut(many=True)
    why = ReasonOut(required=False)


class ServedThenOut(serializers.Serializer[Any]):
    """A memory as it was served; `exact` says that the text is that of then."""

    id = serializers.CharField()
    rank = serializers.IntegerField()
    score = serializers.FloatField(required=False)
    matched = serializers.ListField(child=serializers.CharField())
    exact = serializers.BooleanField()
    changed = serializers.BooleanField()
    memory = MemoryOut(required=False)


class ReceiptOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    at = serializers.DateTimeField()
    actor = serializers.CharField()
    door = serializers.CharField(required=False)
    tool = serializers.CharField(required=False)
    client = serializers.CharField(required=False)
    query = serializers.CharField(allow_blank=True)
    mode = serializers.CharField()
    filters = serializers.DictField()
    served = ServedThenOut(many=True)
    dropped = serializers.DictField(child=serializers.IntegerField())
    best_refused_score = serializers.FloatField(required=False)
    tokens = serializers.IntegerField()
    took_ms = serializers.FloatField()
    watermark = serializers.IntegerField()
    replayable = serializers.BooleanField()


class ReplayIn(serializers.Serializer[Any]):
    at = Choice(choices=MOMENTS, required=False, help_text="today when absent.")


class DifferenceOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=KINDS)
    before = serializers.IntegerField(required=False)
    after = serializers.IntegerField(required=False)
    memory = MemoryOut(required=False)
    reason = ReasonOut(required=False)


class ReplayOut(serializers.Serializer[Any]):
    at = serializers.ChoiceField(choices=MOMENTS)
    receipt = ReceiptOut()
    differences = DifferenceOut(many=True)
    took_ms = serializers.FloatField()


class GapListIn(PageIn):
    limit = Integer(least=1, most=PAGE_LIMIT, required=False, help_text="50 when absent.")
    status = Choice(choices=GAP_STATUSES, required=False, help_text="open when absent.")
    floor = Fraction(required=False, help_text="An answer less similar than this was none.")


class GapOut(serializers.Serializer[Any]):
    """A question that recall could not answer, in all its wordings."""

    key = serializers.CharField()
    question = serializers.CharField()
    wordings = serializers.ListField(child=serializers.CharField())
    asked = serializers.IntegerField()
    empty = serializers.IntegerField()
    first_at = serializers.DateTimeField()
    last_at = serializers.DateTimeField()
    best_score = serializers.FloatField(required=False)
    askers = serializers.ListField(child=serializers.CharField())
    recall_id = serializers.CharField()


class GapDecisionOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    question = serializers.CharField()
    status = serializers.ChoiceField(choices=DECISION_STATUSES)
    asked = serializers.IntegerField()
    decided_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    until = serializers.DateTimeField(required=False)
    memory_id = serializers.CharField(required=False)
    undone_at = serializers.DateTimeField(required=False)


class GapPageOut(serializers.Serializer[Any]):
    gaps = GapOut(many=True, required=False)
    decisions = GapDecisionOut(many=True, required=False)
    next_cursor = serializers.CharField(required=False)


class GapAnswerIn(DraftIn):
    """The answer, as any other memory."""


class GapAnsweredOut(serializers.Serializer[Any]):
    decision = GapDecisionOut()
    saved = SavedOut()


class SnoozeIn(serializers.Serializer[Any]):
    days = Integer(least=1, most=SNOOZE_MOST, required=False, help_text="7 when absent.")


class TestListIn(PageIn):
    limit = Integer(least=1, most=PAGE_LIMIT, required=False, help_text="50 when absent.")
    status = Choice(choices=TEST_STATUSES, required=False)
    memory = Label(required=False, help_text="Id of a memory.")


class TestIn(RecallIn):
    """For this query this memory must, or must never, be among the first `within`."""

    limit = None  # type: ignore[assignment]
    as_of = None  # type: ignore[assignment]
    explain = None  # type: ignore[assignment]
    query = Text(limit=QUERY_LIMIT, least=1)
    memory = Label(limit=200, help_text="Id or slug.")
    must_appear = Flag(required=False, help_text="true when absent.")
    within = Integer(least=1, most=WITHIN_MOST, required=False, help_text="10 when absent.")
    agent = Label(required=False, help_text="Id or slug of the agent that asks; else anybody.")
    note = Label(limit=NOTE_LIMIT, required=False)


class TestChangesIn(serializers.Serializer[Any]):
    within = Integer(least=1, most=WITHIN_MOST, required=False)
    must_appear = Flag(required=False)
    agent = Label(required=False)
    note = Label(limit=NOTE_LIMIT, required=False)
    query = Label(limit=2_000, required=False)
    memory = Label(limit=200, required=False)


class TestOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    query = serializers.CharField()
    options = serializers.DictField()
    memory_id = serializers.CharField()
    must_appear = serializers.BooleanField()
    within = serializers.IntegerField()
    status = serializers.ChoiceField(choices=TEST_STATUSES)
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    agent = serializers.CharField(required=False)
    note = serializers.CharField(required=False)
    status_since = serializers.DateTimeField(required=False)
    last_run_at = serializers.DateTimeField(required=False)
    last_place = serializers.IntegerField(required=False)
    last_reason = serializers.CharField(required=False)
    deleted_at = serializers.DateTimeField(required=False)


class TestPageOut(serializers.Serializer[Any]):
    tests = TestOut(many=True)
    next_cursor = serializers.CharField(required=False)


class TestRunOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    at = serializers.DateTimeField()
    status = serializers.ChoiceField(choices=TEST_STATUSES)
    cause = serializers.CharField()
    stage = serializers.CharField()
    reason = serializers.CharField()
    watermark = serializers.IntegerField()
    place = serializers.IntegerField(required=False)


class TestStoryOut(TestOut):
    runs = TestRunOut(many=True)


class TallyOut(serializers.Serializer[Any]):
    green = serializers.IntegerField()
    red = serializers.IntegerField()
    turned_red = serializers.IntegerField()
