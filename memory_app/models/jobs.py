from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.fields import id_field
from memory_app.models.below import BelowBank


class Job(BelowBank):
    """Work to do, written in the transaction that causes it and leased by whoever does it.

    The broker may lose everything: a sweep takes up jobs whose lease has run out. Finished jobs are
    deleted; one that failed too often stays with its error.
    """

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("job")
    task = models.CharField(max_length=40)
    arguments = models.JSONField(default=dict)
    attempts = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(default=timezone.now)
    leased_until = models.DateTimeField(null=True, blank=True)
    failed_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "jobs"
        indexes = [
            # The sweep: due and not leased, oldest first.
            models.Index(
                fields=["bank", "not_before"], condition=Q(failed_at=None), name="jobs_due"
            ),
        ]
