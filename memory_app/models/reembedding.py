from __future__ import annotations

from django.db import models
from django.utils import timezone
from pgvector.django import HalfVectorField

from memory_app.models.below import BelowBank


class Reembedding(BelowBank):
    """A bank's second model, at most one: being built, ready to take over, or the one of before.

    Its vectors lie in `OtherVector`, never beside the bank's own.
    """

    class Status(models.TextChoices):
        BUILDING = "building"
        READY = "ready"
        KEPT = "kept"

    pk = models.CompositePrimaryKey("bank_id", "model")
    model = models.CharField(max_length=120)
    dimensions = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.BUILDING)
    created_by = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now)
    # When the bank left this model, and until when it can be switched back.
    switched_at = models.DateTimeField(null=True, blank=True)
    kept_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "reembeddings"
        constraints = [
            models.UniqueConstraint(fields=["bank"], name="reembeddings_one"),
        ]


class OtherVector(BelowBank):
    """A vector of a cell or an entity's text by the second model; `digest` says of which text."""

    pk = models.CompositePrimaryKey("bank_id", "owner_id")
    owner_id = models.UUIDField()
    model = models.CharField(max_length=120)
    digest = models.CharField(max_length=32)
    embedding = HalfVectorField()

    class Meta:
        db_table = "other_vectors"
