from __future__ import annotations

from django.db import models
from django.utils import timezone

from accounts.fields import id_field
from accounts.models.organizations import Organization


class AccessEvent(models.Model):
    """One change of who may do what, never modified: people, agents, connections, keys.

    The application's role has INSERT and SELECT here, nothing else. `operation` is a dotted name
    (`key.issued`); `details` never holds a secret.
    """

    id = id_field("event", primary_key=True)
    organization = models.ForeignKey(Organization, models.PROTECT, related_name="+", db_index=False)
    operation = models.CharField(max_length=40)
    target = models.CharField(max_length=60)
    actor = models.CharField(max_length=60)
    reason = models.CharField(max_length=300, blank=True)
    details = models.JSONField(default=dict)
    request_id = models.CharField(max_length=64, blank=True)
    door = models.CharField(max_length=20, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "access_events"
        indexes = [
            # The organization's access log, newest first: ids rise with time.
            models.Index(fields=["organization", "-id"], name="access_events_page"),
            # What happened to one key, agent or person.
            models.Index(fields=["organization", "target", "-id"], name="access_events_target"),
        ]
