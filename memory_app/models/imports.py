from __future__ import annotations

from django.db import models
from django.utils import timezone

from accounts.fields import id_field
from memory_app.models.below import BelowBank, reference


class ImportJob(BelowBank):
    """One import with the fate of every line; can be undone as a whole."""

    class Status(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        UNDONE = "undone"

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("imp")
    actor = models.CharField(max_length=60)
    format = models.CharField(max_length=40)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.RUNNING)
    counts = models.JSONField(default=dict)
    error = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "import_jobs"
        indexes = [models.Index(fields=["bank", "-id"], name="imports_newest")]


class ImportLine(BelowBank):
    """What became of one line: created, known, refused (with the reason)."""

    pk = models.CompositePrimaryKey("bank_id", "import_id", "number")
    import_id = reference("imp")
    number = models.PositiveIntegerField()
    outcome = models.CharField(max_length=20)
    memory_id = reference("mem", null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    text = models.CharField(max_length=200, blank=True)

    class Meta:
        db_table = "import_lines"
