from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.fields import id_field
from memory_app.models.below import BelowBank, reference


class RecallSave(BelowBank):
    """A reader says that a recalled memory saved it work; cites the recall that served it.

    `counted` is false where reader and writer are the same. One row a memory, reader and note.
    """

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("save")
    memory_id = reference("mem")
    recall_id = reference("rec")
    writer = models.CharField(max_length=60)
    reader = models.CharField(max_length=60)
    note = models.CharField(max_length=500)
    note_digest = models.CharField(max_length=64)
    counted = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "recall_saves"
        constraints = [
            models.UniqueConstraint(
                fields=["bank", "memory_id", "reader", "note_digest"], name="recall_saves_once"
            ),
        ]


class PendingDocument(BelowBank):
    """A file that a project has written and nobody has taken into the bank yet."""

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("pend")
    project = models.CharField(max_length=100, blank=True)
    path = models.CharField(max_length=500)
    digest = models.CharField(max_length=64, blank=True)
    queued_by = models.CharField(max_length=60)
    queued_at = models.DateTimeField(default=timezone.now)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.CharField(max_length=60, blank=True)
    session = models.CharField(max_length=200, blank=True)

    class Meta:
        db_table = "pending_documents"
        constraints = [
            models.UniqueConstraint(
                fields=["bank", "project", "path"],
                condition=Q(closed_at=None),
                name="pending_documents_once_open",
            ),
        ]


class File(BelowBank):
    """An appendix file. Its bytes lie in Django's storage under `storage_name`; a rewrite of a path
    is a new version, the one before ends at `until`. All versions go to the bin together, at one
    `deleted_at`; the last one ends then.
    """

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("file")
    path = models.CharField(max_length=500)
    filename = models.CharField(max_length=200)
    type = models.CharField(max_length=100)
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    description = models.TextField(blank=True)
    tags = ArrayField(models.CharField(max_length=64), default=list)
    storage_name = models.CharField(max_length=300)
    version = models.PositiveIntegerField(default=1)
    created_by = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now)
    since = models.BigIntegerField()
    until = models.BigIntegerField(null=True, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "files"
        constraints = [
            models.UniqueConstraint(
                fields=["bank", "path"], condition=Q(until=None), name="files_path_live"
            ),
        ]
