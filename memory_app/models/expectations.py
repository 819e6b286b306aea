"""What people expect of recall: tests of it, and what they made of questions it could not answer."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.fields import id_field
from memory_app.models.below import BelowBank, reference


class MemoryTest(BelowBank):
    """For this query this memory must, or must never, be among the first `within` of an answer.

    `options` are the query's conditions as the read log keeps them; `agent` is who asks, empty for
    anybody. The memory is no foreign key: when it is erased, the test stays and turns red. `status`
    is that of the last run.
    """

    class Status(models.TextChoices):
        NEW = "new"
        GREEN = "green"
        RED = "red"

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("test")
    query = models.TextField()
    options = models.JSONField(default=dict)
    agent = models.CharField(max_length=60, blank=True)
    memory_id = reference("mem")
    must_appear = models.BooleanField(default=True)
    within = models.PositiveSmallIntegerField(default=10)
    note = models.CharField(max_length=300, blank=True)
    created_by = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True)
    status = models.CharField(max_length=5, choices=Status.choices, default=Status.NEW)
    status_since = models.DateTimeField(null=True, blank=True)
    last_run_at = models.DateTimeField(null=True, blank=True)
    last_watermark = models.BigIntegerField(default=0)
    last_place = models.PositiveSmallIntegerField(null=True, blank=True)
    last_reason = models.CharField(max_length=500, blank=True)

    class Meta:
        db_table = "memory_tests"
        indexes = [
            models.Index(
                fields=["bank", "-id"], condition=Q(deleted_at=None), name="memory_tests_newest"
            ),
            # The badge.
            models.Index(
                fields=["bank"],
                condition=Q(deleted_at=None, status="red"),
                name="memory_tests_red",
            ),
            models.Index(fields=["bank", "memory_id"], name="memory_tests_memory"),
        ]


class MemoryTestRun(BelowBank):
    """One run of a test: at which place the memory stood, and where it fell if it did not."""

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("run")
    test_id = reference("test")
    status = models.CharField(max_length=5, choices=MemoryTest.Status.choices)
    cause = models.CharField(max_length=10)
    place = models.PositiveSmallIntegerField(null=True, blank=True)
    stage = models.CharField(max_length=40, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    watermark = models.BigIntegerField()
    took_ms = models.FloatField(default=0)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "memory_test_runs"
        indexes = [models.Index(fields=["bank", "test_id", "-id"], name="memory_test_runs_of")]


class GapDecision(BelowBank):
    """What a person made of a question that recall could not answer.

    `keys` are the digests of its wordings' lexemes. An answer holds until the question comes back
    empty once more, a snooze until `until`, a dismissal until it is undone.
    """

    class Status(models.TextChoices):
        ANSWERED = "answered"
        SNOOZED = "snoozed"
        DISMISSED = "dismissed"

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("gap")
    keys = ArrayField(models.CharField(max_length=32))
    question = models.TextField()
    status = models.CharField(max_length=10, choices=Status.choices)
    until = models.DateTimeField(null=True, blank=True)
    memory_id = reference("mem", null=True, blank=True)
    # Whether the answer made the memory, so that undoing it bins it.
    made = models.BooleanField(default=False)
    asked = models.PositiveIntegerField(default=0)
    decided_by = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "gap_decisions"
        indexes = [
            models.Index(
                fields=["bank", "status", "-id"],
                condition=Q(undone_at=None),
                name="gap_decisions_newest",
            ),
            GinIndex(fields=["keys"], name="gap_decisions_keys"),
        ]
