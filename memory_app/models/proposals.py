from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.fields import id_field
from memory_app.models.below import BelowBank, reference
from memory_app.models.fields import ObjectField


class Proposal(BelowBank):
    """What the system is unsure of, or an agent asks for, to be decided by a person. One open proposal a
    pair and kind.

    `pair_key` is the sorted pair of memory ids: a rejected pair is not proposed again. A retirement is
    about one memory, which is both sides. `evidence` holds the reason of whoever asked.
    """

    class Kind(models.TextChoices):
        CONTRADICTION = "contradiction"
        DUPLICATE = "duplicate"
        RETIREMENT = "retirement"

    class Status(models.TextChoices):
        OPEN = "open"
        ACCEPTED = "accepted"
        REJECTED = "rejected"
        OBSOLETE = "obsolete"

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("prop")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    old_memory_id = reference("mem")
    new_memory_id = reference("mem")
    pair_key = models.CharField(max_length=80)
    confidence = models.FloatField()
    evidence = ObjectField(default=dict)
    created_by = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now)
    decided_by = models.CharField(max_length=60, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decision = models.CharField(max_length=20, blank=True)

    class Meta:
        db_table = "proposals"
        constraints = [
            models.UniqueConstraint(fields=["bank", "kind", "pair_key"], name="proposals_pair"),
        ]
        indexes = [
            # The review queue, newest first.
            models.Index(fields=["bank", "-id"], condition=Q(status="open"), name="proposals_open"),
            # "disputed_by" of a hit.
            models.Index(
                fields=["bank", "old_memory_id"], condition=Q(status="open"), name="proposals_old"
            ),
            models.Index(
                fields=["bank", "new_memory_id"], condition=Q(status="open"), name="proposals_new"
            ),
        ]


class MergeProposal(BelowBank):
    """Two entities that may be one: `variant` would be merged into `canonical`. A pair is proposed
    once; a rejected one is never proposed again. `undo` holds what an accepted merge changed.
    """

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("prop")
    status = models.CharField(
        max_length=10, choices=Proposal.Status.choices, default=Proposal.Status.OPEN
    )
    canonical_id = reference("ent")
    variant_id = reference("ent")
    pair_key = models.CharField(max_length=80)
    confidence = models.FloatField()
    evidence = ObjectField(default=dict)
    undo = ObjectField(default=dict)
    created_by = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now)
    decided_by = models.CharField(max_length=60, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "merge_proposals"
        constraints = [
            models.UniqueConstraint(fields=["bank", "pair_key"], name="merge_proposals_pair"),
        ]
        indexes = [
            models.Index(
                fields=["bank", "-id"], condition=Q(status="open"), name="merge_proposals_open"
            ),
        ]
