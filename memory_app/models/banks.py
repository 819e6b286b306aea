from __future__ import annotations

from django.db import models
from django.utils import timezone

from accounts.fields import id_field
from accounts.models import Organization


class Bank(models.Model):
    """A memory store. Its head watermark is the last number of its ledger.

    FIXED at creation: `embedding_model`, `dimensions`, `text_search`, `chunker`. Every mutation
    locks this row, so writes of one bank queue and reads never wait.
    """

    class Visibility(models.TextChoices):
        PRIVATE = "private"
        ORGANIZATION = "organization"

    id = id_field("bank", primary_key=True)
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="banks")
    slug = models.SlugField(max_length=60, allow_unicode=True)
    name = models.CharField(max_length=120)
    description = models.CharField(max_length=500, blank=True)
    visibility = models.CharField(
        max_length=12, choices=Visibility.choices, default=Visibility.ORGANIZATION
    )
    created_by = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    # In the bin since; out of it by a restore, or by the purge, which leaves the ledger alone.
    deleted_at = models.DateTimeField(null=True, blank=True)
    purged_at = models.DateTimeField(null=True, blank=True)

    embedding_model = models.CharField(max_length=120)
    dimensions = models.PositiveSmallIntegerField()
    text_search = models.CharField(max_length=40, default="english")
    chunker = models.CharField(max_length=40, default="paragraphs")

    auto_link = models.BooleanField(default=False)
    auto_link_threshold = models.FloatField(default=0.80)
    duplicate_threshold = models.FloatField(default=0.95)
    related_threshold = models.FloatField(default=0.80)
    verdict_threshold = models.FloatField(default=0.60)
    acting_threshold = models.FloatField(default=0.85)
    freshness_weight = models.FloatField(default=0.10)
    freshness_days = models.PositiveSmallIntegerField(default=90)
    history_days = models.PositiveSmallIntegerField(default=7)
    review_mode = models.BooleanField(default=False)

    head_watermark = models.BigIntegerField(default=0)
    head_hash = models.CharField(max_length=64, default="0" * 64)
    # Upkeep figures that recall reads: kept by Celery, never needed for correctness.
    live_cells = models.PositiveIntegerField(default=0)
    average_length = models.FloatField(default=0.0)
    vector_index = models.CharField(max_length=63, blank=True)

    class Meta:
        db_table = "banks"
        constraints = [
            # Target of every composite foreign key below the bank.
            models.UniqueConstraint(fields=["organization", "id"], name="banks_organization_id"),
        ]

    def __str__(self) -> str:
        return self.name


class BankSlug(models.Model):
    """The global table of bank names: unique per organization, so that `banks` can be
    distributed.
    """

    pk = models.CompositePrimaryKey("organization_id", "slug")
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+")
    slug = models.SlugField(max_length=60, allow_unicode=True)
    bank = models.ForeignKey(Bank, models.CASCADE, related_name="+")

    class Meta:
        db_table = "bank_slugs"


class BankTerm(models.Model):
    """How many live cells hold a lexeme, for those that at least one in a hundred holds.

    Kept by Celery; the lexical channel starts from the rarest terms with it.
    """

    pk = models.CompositePrimaryKey("bank_id", "lexeme")
    bank = models.ForeignKey(
        Bank, models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    organization = models.ForeignKey(
        Organization, models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    lexeme = models.TextField()
    cells = models.PositiveIntegerField()

    class Meta:
        db_table = "bank_terms"
