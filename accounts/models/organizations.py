from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.fields import id_field


class Organization(models.Model):
    """A tenant. Row-level security compares every other row with its id."""

    id = id_field("org", primary_key=True)
    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, unique=True, allow_unicode=True)
    daily_operation_cap = models.PositiveIntegerField(null=True, blank=True)
    requires_mfa = models.BooleanField(default=False)
    deletion_requested_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "organizations"

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's role in an organization: owner > admin > member > viewer."""

    class Role(models.TextChoices):
        OWNER = "owner"
        ADMIN = "admin"
        MEMBER = "member"
        VIEWER = "viewer"

    id = id_field("mship", primary_key=True)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "memberships"
        constraints = [
            models.UniqueConstraint(fields=["organization", "user"], name="memberships_once"),
        ]


class Invitation(models.Model):
    """An offer to join, known by the digest of a token that only the mail holds."""

    id = id_field("inv", primary_key=True)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=10, choices=Membership.Role.choices)
    token_digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "invitations"
