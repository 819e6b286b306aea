from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.models import Organization


class DailyUsage(models.Model):
    """Operations of an organization on one UTC day; counted by one atomic statement."""

    pk = models.CompositePrimaryKey("organization_id", "day")
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    day = models.DateField()
    operations = models.PositiveIntegerField(default=0)
    writes = models.PositiveIntegerField(default=0)
    searches = models.PositiveIntegerField(default=0)

    class Meta:
        db_table = "daily_usage"


class RateWindow(models.Model):
    """Requests of one key in one minute; counted by one atomic statement, swept when old."""

    pk = models.CompositePrimaryKey("key_id", "window")
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    key_id = models.CharField(max_length=60)
    window = models.DateTimeField()
    requests = models.PositiveIntegerField(default=0)

    class Meta:
        db_table = "rate_windows"


class IdempotencyKey(models.Model):
    """The first answer to a write that carried an Idempotency-Key; kept 24 hours."""

    pk = models.CompositePrimaryKey("organization_id", "actor", "key")
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    actor = models.CharField(max_length=60)
    key = models.CharField(max_length=200)
    request_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    body = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    locked_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "idempotency_keys"
        indexes = [models.Index(fields=["organization", "created_at"], name="idempotency_age")]


class Digest(models.Model):
    """A person's daily mail about an organization: wanted or not, and the day of the last one.

    The day is taken before the mail goes out: after a crash there is one too few, never one too many.
    """

    pk = models.CompositePrimaryKey("organization_id", "user_id")
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    wanted = models.BooleanField(default=True)
    last_day = models.DateField(null=True, blank=True)

    class Meta:
        db_table = "digests"
