from __future__ import annotations

from django.db import models
from django.utils import timezone

from accounts.fields import id_field
from memory_app.models.below import BelowBank


class LedgerEntry(BelowBank):
    """One mutation of a bank, never modified. `seq` is the bank's watermark.

    The hash covers every column but `hash` itself and `created_at`'s microsecond rounding is kept:
    entries hold a salted digest of content, the content stands in `LedgerContent` and may be erased
    without breaking the chain. The application's role has INSERT and SELECT here, nothing else.
    """

    pk = models.CompositePrimaryKey("bank_id", "seq")
    seq = models.BigIntegerField()
    id = id_field("led")
    operation = models.CharField(max_length=40)
    target = models.CharField(max_length=60)
    actor = models.CharField(max_length=60)
    reason = models.CharField(max_length=300, blank=True)
    before_watermark = models.BigIntegerField(null=True, blank=True)
    after_watermark = models.BigIntegerField(null=True, blank=True)
    request_id = models.CharField(max_length=64, blank=True)
    door = models.CharField(max_length=20, blank=True)
    tool = models.CharField(max_length=60, blank=True)
    elapsed_ms = models.FloatField(default=0)
    counters = models.JSONField(default=dict)
    content_digest = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        db_table = "ledger_entries"
        constraints = [models.UniqueConstraint(fields=["bank", "id"], name="ledger_id")]
        indexes = [
            # Instant -> watermark (as_of), activity, throughput.
            models.Index(fields=["bank", "created_at"], name="ledger_created"),
            # History and provenance of one target.
            models.Index(fields=["bank", "target", "seq"], name="ledger_target"),
            # What one actor did.
            models.Index(fields=["bank", "actor", "-seq"], name="ledger_actor"),
        ]


class LedgerContent(BelowBank):
    """The content of an entry (before and after) with its salt; erasing it leaves the chain
    whole.
    """

    pk = models.CompositePrimaryKey("bank_id", "seq")
    seq = models.BigIntegerField()
    salt = models.CharField(max_length=32)
    content = models.JSONField()

    class Meta:
        db_table = "ledger_contents"


class LedgerCheck(BelowBank):
    """A recomputation of the whole chain that somebody asked for, and what came of it.

    `valid` is null until it is done. `entries` counts those that hold.
    """

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("check")
    asked_by = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    valid = models.BooleanField(null=True, blank=True)
    entries = models.BigIntegerField(default=0)
    head_watermark = models.BigIntegerField(default=0)
    broken_at = models.BigIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=200, blank=True)

    class Meta:
        db_table = "ledger_checks"
