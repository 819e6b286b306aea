from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from pgvector.django import HalfVectorField

from accounts.fields import id_field
from memory_app.models.below import BelowBank, reference
from memory_app.models.fields import ObjectField, WeightField
from memory_app.models.memories import Memory


class Entity(BelowBank):
    """Something that memories are about. Its `name_key` is unique among the live ones of a bank.

    `degree` counts its live relationships. `declared` says that it stands by itself, also when no
    memory mentions it. Live = `until` is null; a merged one names its successor in `merged_into`.
    `absent` holds the gaps between `since` and `until`, when it had gone and came back: from, to,
    from, to, ... in watermarks.
    """

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("ent")
    name = models.CharField(max_length=200)
    name_key = models.CharField(max_length=400)
    type = models.CharField(max_length=60, blank=True)
    description = models.TextField(blank=True)
    queries = models.JSONField(default=list)
    degree = models.PositiveIntegerField(default=0)
    declared = models.BooleanField(default=False)
    created_by = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now)
    merged_into = reference("ent", null=True, blank=True)
    since = models.BigIntegerField()
    until = models.BigIntegerField(null=True, blank=True)
    absent = ArrayField(models.BigIntegerField(), default=list, blank=True)

    class Meta:
        db_table = "entities"
        constraints = [
            models.UniqueConstraint(
                fields=["bank", "name_key"], condition=Q(until=None), name="entities_name_live"
            ),
        ]
        indexes = [
            # The graph's overview: best connected first; the filter's types and counts without the table.
            models.Index(
                fields=["bank", "-degree", "-id"],
                include=["organization", "type"],
                condition=Q(until=None),
                name="entities_degree",
            ),
        ]

    def stood(self, watermark: int) -> bool:
        """Whether it was there then."""
        gone = len([edge for edge in self.absent if edge <= watermark]) % 2 == 1
        return (
            self.since <= watermark and not gone and (self.until is None or self.until > watermark)
        )

    def come_back(self, watermark: int) -> None:
        """It stands again, and the past keeps that it was gone. To be saved by the caller."""
        if self.until is not None:
            self.absent = [*self.absent, self.until, watermark]
            self.until = None


class EntityAlias(BelowBank):
    """A name that an entity was merged under or is also known by; resolves like its own name."""

    pk = models.CompositePrimaryKey("bank_id", "name_key")
    name_key = models.CharField(max_length=400)
    name = models.CharField(max_length=200)
    entity_id = reference("ent")
    created_by = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "entity_aliases"
        indexes = [models.Index(fields=["bank", "entity_id"], name="aliases_entity")]


class EntityProbe(BelowBank):
    """One vector per text an entity is matched by: its description and each retrieval query."""

    class Kind(models.TextChoices):
        DESCRIPTION = "description"
        QUERY = "query"

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("probe")
    entity_id = reference("ent")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    text = models.TextField()
    embedding = HalfVectorField(null=True, blank=True)
    live = models.BooleanField(default=True)
    compact = models.BooleanField(default=True)

    class Meta:
        db_table = "entity_probes"
        indexes = [
            models.Index(fields=["bank", "entity_id"], name="probes_entity"),
            # The entity channel: an exact scan of one bank's probes that never touches the table.
            models.Index(
                fields=["bank", "organization", "id"],
                include=["entity_id", "embedding"],
                condition=Q(live=True, compact=True),
                name="probes_covering",
            ),
        ]


class Mention(BelowBank):
    """A memory names an entity. `resolution` says how the name found it: new, existing, chosen."""

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("mention")
    memory_id = reference("mem")
    entity_id = reference("ent")
    memory = models.ForeignObject(
        Memory,
        on_delete=models.DO_NOTHING,
        related_name="mentions",
        from_fields=("bank", "memory_id"),
        to_fields=("bank", "id"),
    )
    entity = models.ForeignObject(
        Entity,
        on_delete=models.DO_NOTHING,
        related_name="mentions",
        from_fields=("bank", "entity_id"),
        to_fields=("bank", "id"),
    )
    name = models.CharField(max_length=200)
    resolution = models.CharField(max_length=10)
    since = models.BigIntegerField()
    until = models.BigIntegerField(null=True, blank=True)

    class Meta:
        db_table = "mentions"
        constraints = [
            models.UniqueConstraint(
                fields=["bank", "memory_id", "entity_id"],
                condition=Q(until=None),
                name="mentions_once_live",
            ),
        ]
        indexes = [
            # Memories of an entity, now and then.
            models.Index(fields=["bank", "entity_id", "memory_id"], name="mentions_entity"),
            # What a memory names or once named: provenance, and its erasure.
            models.Index(fields=["bank", "memory_id"], name="mentions_memory"),
        ]


class Relationship(BelowBank):
    """A directed, typed edge between two entities; the authored order is kept.

    Backed by assertions of memories, or `declared` by itself. Unique among the live ones by source,
    folded type and target.
    """

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("rel")
    source_id = reference("ent")
    target_id = reference("ent")
    source = models.ForeignObject(
        Entity,
        on_delete=models.DO_NOTHING,
        related_name="relations_out",
        from_fields=("bank", "source_id"),
        to_fields=("bank", "id"),
    )
    target = models.ForeignObject(
        Entity,
        on_delete=models.DO_NOTHING,
        related_name="relations_in",
        from_fields=("bank", "target_id"),
        to_fields=("bank", "id"),
    )
    type = models.CharField(max_length=100)
    type_key = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    weight = WeightField(default=1.0)
    props = ObjectField(default=dict)
    declared = models.BooleanField(default=False)
    created_by = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now)
    since = models.BigIntegerField()
    until = models.BigIntegerField(null=True, blank=True)

    class Meta:
        db_table = "relationships"
        constraints = [
            models.UniqueConstraint(
                fields=["bank", "source_id", "type_key", "target_id"],
                condition=Q(until=None),
                name="relationships_once_live",
            ),
        ]
        indexes = [
            # Incoming edges; outgoing ones read the unique index.
            models.Index(fields=["bank", "target_id"], name="relationships_target"),
            # Outgoing edges of whatever state; a bank's whole graph, now and then, without the table.
            models.Index(
                fields=["bank", "source_id"],
                include=[
                    "organization",
                    "id",
                    "target_id",
                    "type_key",
                    "declared",
                    "since",
                    "until",
                    "created_by",
                    "created_at",
                ],
                name="relationships_source",
            ),
        ]


class Assertion(BelowBank):
    """A memory backs a relationship. With a confidence it is a fact of an episode; its
    `causal_hint` makes it a link in a chain of causes.
    """

    pk = models.CompositePrimaryKey("bank_id", "id")
    id = id_field("assert")
    memory_id = reference("mem")
    relationship_id = reference("rel")
    memory = models.ForeignObject(
        Memory,
        on_delete=models.DO_NOTHING,
        related_name="assertions",
        from_fields=("bank", "memory_id"),
        to_fields=("bank", "id"),
    )
    relationship = models.ForeignObject(
        Relationship,
        on_delete=models.DO_NOTHING,
        related_name="assertions",
        from_fields=("bank", "relationship_id"),
        to_fields=("bank", "id"),
    )
    confidence = models.CharField(max_length=12, blank=True)
    causal_hint = models.CharField(max_length=12, blank=True)
    since = models.BigIntegerField()
    until = models.BigIntegerField(null=True, blank=True)

    class Meta:
        db_table = "assertions"
        constraints = [
            models.UniqueConstraint(
                fields=["bank", "memory_id", "relationship_id"],
                condition=Q(until=None),
                name="assertions_once_live",
            ),
        ]
        indexes = [
            # Who backs a relationship, now and then; structural supersession.
            models.Index(
                fields=["bank", "relationship_id"],
                include=["organization", "memory_id", "since", "until"],
                name="assertions_relationship",
            ),
            # What a memory states or once stated: facts of the past, and its erasure.
            models.Index(fields=["bank", "memory_id"], name="assertions_memory"),
            # Chains of causes.
            models.Index(
                fields=["bank", "causal_hint"],
                condition=~Q(causal_hint=""),
                name="assertions_causal",
            ),
        ]
