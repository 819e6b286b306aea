from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from pgvector.django import HalfVectorField

from accounts.fields import id_field
from memory_app.models.below import BelowBank, reference
from memory_app.models.fields import ObjectField


class Memory(BelowBank):
    """The one unit of text: statement, observation, note, fact or document.

    Live = neither retired nor in the bin. `dedupe_key` is unique among live rows; null for
    documents and observations. `author` is an actor id. A retired or binned row stays readable
    until purged.
    """

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("mem")
    slug = models.CharField(max_length=80)
    title = models.CharField(max_length=300, blank=True)
    content = models.TextField()
    category = models.CharField(max_length=100, blank=True)
    collection = models.CharField(max_length=100, blank=True)
    tags = ArrayField(models.CharField(max_length=64), default=list)
    observed_at = models.DateTimeField(null=True, blank=True)
    # The offset (minutes) that observed_at was given with: an evening event keeps its own day.
    observed_offset = models.SmallIntegerField(default=0)
    observed_text = models.CharField(max_length=100, blank=True)
    confidence = models.CharField(max_length=20, blank=True)
    source = models.CharField(max_length=300, blank=True)
    project = models.CharField(max_length=100, blank=True)
    session = models.CharField(max_length=200, blank=True)
    props = ObjectField(default=dict)
    # Entities and relations as the writer stated them: what the content hash covers.
    stated = ObjectField(default=dict)
    author = models.CharField(max_length=60)
    # As the author was called when it wrote: shown in lists and indexed for words without a join.
    author_name = models.CharField(max_length=120, blank=True)
    tool = models.CharField(max_length=60, blank=True)
    content_hash = models.CharField(max_length=66)
    dedupe_key = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001
    pinned_at = models.DateTimeField(null=True, blank=True)
    recall_count = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    retired_at = models.DateTimeField(null=True, blank=True)
    retired_by = models.CharField(max_length=60, blank=True)
    retired_reason = models.CharField(max_length=300, blank=True)
    superseded_by = reference("mem", null=True, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    created_watermark = models.BigIntegerField()
    head_watermark = models.BigIntegerField()
    # Null while the vectors are still to be made (status "pending").
    indexed_at = models.DateTimeField(null=True, blank=True)
    import_id = reference("imp", null=True, blank=True)

    class Meta:
        db_table = "memories"
        constraints = [
            models.UniqueConstraint(fields=["bank", "slug"], name="memories_slug"),
            # Exact repeats: the database arbitrates between two writers of one text.
            models.UniqueConstraint(
                fields=["bank", "dedupe_key"],
                condition=Q(retired_at=None, deleted_at=None),
                name="memories_dedupe_live",
            ),
        ]
        indexes = [
            # Lists newest first, time filters of recall, and the graph's by author and time.
            models.Index(
                fields=["bank", "created_at"],
                include=[
                    "id",
                    "organization",
                    "retired_at",
                    "deleted_at",
                    "observed_at",
                    "author",
                ],
                name="memories_created",
            ),
            # The profile: pinned first.
            models.Index(
                fields=["bank", "-pinned_at"],
                condition=Q(pinned_at__isnull=False, retired_at=None, deleted_at=None),
                name="memories_pinned",
            ),
            # The profile: most often recalled, then newest.
            models.Index(
                fields=["bank", "-recall_count", "-id"],
                condition=Q(retired_at=None, deleted_at=None),
                name="memories_recalled",
            ),
            # Revive: the same text among retired rows.
            models.Index(
                fields=["bank", "dedupe_key"],
                condition=Q(retired_at__isnull=False),
                name="memories_dedupe_retired",
            ),
            # Lists by last change, and every other order and filter of a list without the table:
            # a sparse one reads this index from end to end, which a bank of 100,000 can afford.
            models.Index(
                fields=["bank", "organization", "updated_at", "id"],
                include=[
                    "created_at",
                    "recall_count",
                    "pinned_at",
                    "retired_at",
                    "deleted_at",
                    "indexed_at",
                    "author",
                    "category",
                    "collection",
                    "source",
                ],
                name="memories_listed",
            ),
            # Filters of few memories, alone and together; by tag under row security only while
            # arraycontains is marked LEAKPROOF. New entries wait in its list, so writes stay cheap.
            GinIndex(
                fields=["bank", "tags", "author", "category", "collection", "source"],
                name="memories_filtered",
            ),
            # What is still to be embedded.
            models.Index(
                fields=["bank", "id"], condition=Q(indexed_at=None), name="memories_pending"
            ),
            # Recall: the turns before and after a memory of a session.
            models.Index(
                fields=["bank", "session", "id"],
                condition=~Q(session=""),
                name="memories_session",
            ),
            # The memories of an import, newest first, and its undo.
            models.Index(
                fields=["bank", "import_id", "-id"],
                condition=Q(import_id__isnull=False),
                name="memories_imported",
            ),
        ]

    @property
    def status(self) -> str:
        """active, retired, deleted or pending (stored, found by word, vectors still to come)."""
        if self.deleted_at is not None:
            return "deleted"
        if self.retired_at is not None:
            return "retired"
        return "active" if self.indexed_at is not None else "pending"


class MemoryVersion(BelowBank):
    """Content and fields as they stood from `since` (a watermark) until the next version.

    `body` holds title, content and every editable field; pruned after the bank's history window.
    """

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("ver")
    memory_id = reference("mem")
    memory = models.ForeignObject(
        Memory,
        on_delete=models.DO_NOTHING,
        related_name="versions",
        from_fields=("bank", "memory_id"),
        to_fields=("bank", "id"),
    )
    since = models.BigIntegerField()
    until = models.BigIntegerField(null=True, blank=True)
    body = ObjectField()
    content_hash = models.CharField(max_length=66)
    actor = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "memory_versions"
        indexes = [
            # History of one memory, newest first.
            models.Index(fields=["bank", "memory_id", "-since"], name="versions_memory"),
        ]


class Cell(BelowBank):
    """An ordered slice of a memory with its vector and its words; a short memory has exactly one.

    `live` repeats "the memory is neither retired nor binned, and this slice is current" so that the
    covering index can answer alone. `since`/`until` are watermarks (`as_of` asks with them).
    """

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("cell")
    memory_id = reference("mem")
    memory = models.ForeignObject(
        Memory,
        on_delete=models.DO_NOTHING,
        related_name="cells",
        from_fields=("bank", "memory_id"),
        to_fields=("bank", "id"),
    )
    position = models.PositiveIntegerField(default=0)
    text = models.TextField()
    digest = models.CharField(max_length=32)
    embedding = HalfVectorField(null=True, blank=True)
    words = SearchVectorField(null=True)
    length = models.PositiveIntegerField(default=0)
    live = models.BooleanField(default=True)
    # Whether the vector fits the covering index (a btree row holds about 1,200 half dimensions).
    compact = models.BooleanField(default=True)
    since = models.BigIntegerField()
    until = models.BigIntegerField(null=True, blank=True)

    class Meta:
        db_table = "cells"
        indexes = [
            # The dense channel: an exact scan of one bank that never touches the table. The
            # policy's column is in the key, so row security is an index condition and costs
            # nothing.
            models.Index(
                fields=["bank", "organization", "id"],
                include=["memory_id", "embedding"],
                condition=Q(live=True, compact=True),
                name="cells_covering",
            ),
            # Cells of a memory; recall restricts by memory with it.
            models.Index(fields=["bank", "memory_id"], name="cells_memory"),
            # The lexical channel.
            GinIndex(fields=["bank", "words"], name="cells_words"),
        ]


class Link(BelowBank):
    """A typed, directed link between two memories; `vector_neighbor` is the system's own
    observation.
    """

    class Type(models.TextChoices):
        SESSION_OF = "session_of"
        REFERENCES = "references"
        PARENT_OF = "parent_of"
        DERIVED_FROM = "derived_from"
        SUPERSEDES = "supersedes"
        CONTRADICTS = "contradicts"
        VECTOR_NEIGHBOR = "vector_neighbor"

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("link")
    type = models.CharField(max_length=20, choices=Type.choices)
    source_id = reference("mem")
    target_id = reference("mem")
    source = models.ForeignObject(
        Memory,
        on_delete=models.DO_NOTHING,
        related_name="links_out",
        from_fields=("bank", "source_id"),
        to_fields=("bank", "id"),
    )
    target = models.ForeignObject(
        Memory,
        on_delete=models.DO_NOTHING,
        related_name="links_in",
        from_fields=("bank", "target_id"),
        to_fields=("bank", "id"),
    )
    score = models.FloatField(null=True, blank=True)
    actor = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now)
    since = models.BigIntegerField()
    until = models.BigIntegerField(null=True, blank=True)

    class Meta:
        db_table = "links"
        constraints = [
            models.UniqueConstraint(
                fields=["bank", "source_id", "target_id", "type"],
                condition=Q(until=None),
                name="links_once_live",
            ),
            models.CheckConstraint(
                condition=~Q(source_id=models.F("target_id")), name="links_no_self_loop"
            ),
        ]
        indexes = [
            # Incoming links of a memory.
            models.Index(fields=["bank", "target_id"], name="links_target"),
        ]
