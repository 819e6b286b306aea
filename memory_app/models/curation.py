from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from accounts.fields import id_field
from memory_app.models.below import BelowBank, reference


class BulkOperation(BelowBank):
    """One change of many memories, chosen once and carried out in batches; undone as a whole.

    The ledger entries of its memories carry its id as their request id.
    """

    class Status(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        UNDOING = "undoing"
        UNDONE = "undone"

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("bulk")
    action = models.CharField(max_length=20)
    arguments = models.JSONField(default=dict)
    # How the memories were chosen, for people to read.
    selection = models.JSONField(default=dict)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.RUNNING)
    total = models.PositiveIntegerField(default=0)
    actor = models.CharField(max_length=60)
    # Who took it back, whose rights an undo in the background has.
    undone_by = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "bulk_operations"


class BulkItem(BelowBank):
    """One chosen memory and what became of it; `change` holds what an undo needs besides the rows. Of
    a decision in the review queue it is the question, named there; one about entities has no memory.

    `watermark` is the memory's after the change: whoever changed it later is not overwritten.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        DONE = "done"
        UNCHANGED = "unchanged"
        FAILED = "failed"
        UNDONE = "undone"
        KEPT = "kept"

    pk = models.CompositePrimaryKey("bank_id", "operation_id", "number")
    operation_id = reference("bulk")
    number = models.PositiveIntegerField()
    memory_id = reference("mem", null=True, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    reason = models.CharField(max_length=300, blank=True)
    watermark = models.BigIntegerField(null=True, blank=True)
    change = models.JSONField(default=dict)

    class Meta:
        db_table = "bulk_items"
        indexes = [
            # The next batch, and the counts of a report.
            models.Index(fields=["bank", "operation_id", "state"], name="bulk_items_state"),
            # Erasing a memory takes its items along.
            models.Index(fields=["bank", "memory_id"], name="bulk_items_memory"),
        ]


class SavedView(BelowBank):
    """A name for the query of the list of memories; private to its maker unless shared.

    A removed one is kept for an undo until its organization's purge.
    """

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("view")
    name = models.CharField(max_length=80)
    query = models.CharField(max_length=4000, blank=True)
    shared = models.BooleanField(default=False)
    created_by = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "saved_views"
        constraints = [
            # A person tells views apart by name, and two submits at once must not make two.
            models.UniqueConstraint(
                "bank",
                "created_by",
                Lower("name"),
                condition=Q(deleted_at=None),
                name="views_once_named",
            ),
        ]
        indexes = [
            # The sidebar, by name.
            models.Index(
                fields=["bank", "name", "id"], condition=Q(deleted_at=None), name="views_named"
            ),
        ]
