from __future__ import annotations

from django.db import models
from django.utils import timezone

from accounts.fields import id_field
from memory_app.models.below import BelowBank, reference


class ImportJob(BelowBank):
    """One import with the fate of every line; can be undone as a whole.

    A paste of up to 500 is done at once. A file is read into lines, looked at (a dry run), then stored
    in batches: `cursor` is the number of the last line that is done, and moves in the transaction
    that stores the batch.
    """

    class Status(models.TextChoices):
        READING = "reading"
        READY = "ready"
        CHECKING = "checking"
        CHECKED = "checked"
        RUNNING = "running"
        PAUSED = "paused"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"
        UNDOING = "undoing"
        UNDONE = "undone"

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("imp")
    actor = models.CharField(max_length=60)
    name = models.CharField(max_length=200, blank=True)
    format = models.CharField(max_length=40)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.RUNNING)
    # What it was doing when it paused or failed, and goes on with.
    phase = models.CharField(max_length=10, blank=True)
    counts = models.JSONField(default=dict)
    # Lines that can become memories, and the last one that is done.
    total = models.PositiveIntegerField(default=0)
    cursor = models.PositiveIntegerField(default=0)
    # Uploads in the storage, chosen format and mapping, columns, who started it.
    options = models.JSONField(default=dict)
    error = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "import_jobs"
        indexes = [models.Index(fields=["bank", "-id"], name="imports_newest")]


class ImportLine(BelowBank):
    """What became of one line: created, known, refused (with the reason).

    `fields` holds what is to be stored until it is, and then what an undo has to take back.
    """

    pk = models.CompositePrimaryKey("bank_id", "import_id", "number")
    import_id = reference("imp")
    number = models.PositiveIntegerField()
    place = models.CharField(max_length=300, blank=True)
    outcome = models.CharField(max_length=20)
    memory_id = reference("mem", null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    text = models.CharField(max_length=200, blank=True)
    fields = models.JSONField(null=True, blank=True)

    class Meta:
        db_table = "import_lines"
        indexes = [
            # The list of one import, filtered by fate.
            models.Index(
                fields=["bank", "import_id", "outcome", "number"], name="import_lines_outcome"
            ),
        ]
