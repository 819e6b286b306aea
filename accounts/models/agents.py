from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from accounts.fields import id_field
from accounts.models.organizations import Organization

TOOLSETS = ("essential", "graph", "notes", "facts", "documents")


def default_toolsets() -> list[str]:
    return ["essential"]


class Agent(models.Model):
    """A program that reads and writes memories: a coding assistant, a chat client, a bot."""

    id = id_field("agent", primary_key=True)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="agents")
    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, allow_unicode=True)
    description = models.CharField(max_length=500, blank=True)
    created_by = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    paused_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "agents"
        constraints = [
            models.UniqueConstraint(fields=["organization", "slug"], name="agents_slug"),
            # People tell agents apart by name, and two submits at once must not make two.
            models.UniqueConstraint("organization", Lower("name"), name="agents_name"),
            # Target of composite foreign keys: a row can't be tied to another organization's agent.
            models.UniqueConstraint(fields=["organization", "id"], name="agents_organization_id"),
        ]

    def __str__(self) -> str:
        return self.name


class Connection(models.Model):
    """What one agent may do in one bank: tier read < read_write < full, and toolsets it lists."""

    class Tier(models.TextChoices):
        READ = "read"
        READ_WRITE = "read_write"
        FULL = "full"

    id = id_field("conn", primary_key=True)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="connections")
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="connections")
    bank = models.ForeignKey("memory_app.Bank", models.CASCADE, related_name="connections")
    tier = models.CharField(max_length=10, choices=Tier.choices, default=Tier.READ_WRITE)
    toolsets = ArrayField(models.CharField(max_length=20), default=default_toolsets)
    created_by = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    paused_at = models.DateTimeField(null=True, blank=True)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    last_client = models.CharField(max_length=300, blank=True)

    class Meta:
        db_table = "connections"
        constraints = [
            models.UniqueConstraint(fields=["agent", "bank"], name="connections_once"),
        ]


class ApiKey(models.Model):
    """A secret of an agent's. Only its digest and its first eight characters are stored."""

    id = id_field("key", primary_key=True)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="api_keys")
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=120, blank=True)
    digest = models.CharField(max_length=64, unique=True)
    preview = models.CharField(max_length=8)
    requests_per_minute = models.PositiveIntegerField(null=True, blank=True)
    created_by = models.CharField(max_length=60)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    rotated_to = models.ForeignKey("self", models.SET_NULL, null=True, blank=True)

    class Meta:
        db_table = "api_keys"
        constraints = [
            # Target of the composite foreign key of a rotation.
            models.UniqueConstraint(fields=["organization", "id"], name="api_keys_organization_id"),
        ]

    def __str__(self) -> str:
        return self.preview
