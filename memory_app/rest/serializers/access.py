"""Organization, banks, agents, connections and keys, as REST takes and gives them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from accounts.models.agents import TOOLSETS
from accounts.services.api_keys import GRACE_LIMIT, RATE_LIMIT
from accounts.services.organizations import CAP_LIMIT
from memory_app.rest.fields import Choice, Flag, Fraction, Integer, Label, Moment, Names, Text
from memory_app.rest.paging import PageIn
from memory_app.services.banks import DAYS_LIMIT

TIERS = ("read", "read_write", "full")
NAME = 120
ABOUT = 500


class OrganizationIn(serializers.Serializer[Any]):
    name = Label(limit=NAME, least=1, required=False)
    daily_operation_cap = Integer(
        least=0,
        most=CAP_LIMIT,
        required=False,
        allow_null=True,
        help_text="null: the server's own.",
    )
    requires_mfa = Flag(
        required=False,
        help_text="Whether members need a second factor; who switches it on must have one.",
    )


class OrganizationOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    slug = serializers.CharField()
    name = serializers.CharField()
    daily_operation_cap = serializers.IntegerField(required=False)
    requires_mfa = serializers.BooleanField()
    deletion_requested_at = serializers.DateTimeField(required=False)
    created_at = serializers.DateTimeField()


class OrganizationDeletionIn(serializers.Serializer[Any]):
    confirm = Label(limit=60, least=1, help_text="The organization's slug, once more.")


class BankIn(serializers.Serializer[Any]):
    """What can be changed later, and below it what is fixed by this call."""

    name = Label(limit=NAME, least=1)
    slug = Label(limit=60, required=False)
    description = Text(limit=ABOUT, required=False)
    visibility = Choice(choices=("organization", "private"), required=False)
    embedding_model = Label(limit=NAME, required=False)
    text_search = Label(limit=40, required=False)
    chunker = Label(limit=40, required=False)


class BankChangesIn(serializers.Serializer[Any]):
    """Tunable settings; a fixed one is refused with the reason."""

    name = Label(limit=NAME, least=1, required=False)
    description = Text(limit=ABOUT, required=False)
    visibility = Choice(choices=("organization", "private"), required=False)
    auto_link = Flag(required=False)
    auto_link_threshold = Fraction(required=False)
    duplicate_threshold = Fraction(required=False)
    related_threshold = Fraction(required=False)
    verdict_threshold = Fraction(required=False)
    acting_threshold = Fraction(required=False)
    freshness_weight = Fraction(required=False)
    freshness_days = Integer(least=1, most=DAYS_LIMIT, required=False)
    history_days = Integer(least=1, most=DAYS_LIMIT, required=False)
    review_mode = Flag(required=False)
    slug = Label(limit=60, required=False, help_text="Fixed at creation.")
    embedding_model = Label(limit=NAME, required=False, help_text="Fixed at creation.")
    dimensions = Integer(least=1, most=100_000, required=False, help_text="Fixed at creation.")
    text_search = Label(limit=40, required=False, help_text="Fixed at creation.")
    chunker = Label(limit=40, required=False, help_text="Fixed at creation.")


class BankOut(serializers.Serializer[Any]):
    """`tier` is what the credential may do here."""

    id = serializers.CharField()
    slug = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField(required=False)
    visibility = serializers.CharField()
    tier = serializers.ChoiceField(choices=TIERS)
    created_at = serializers.DateTimeField()
    head_watermark = serializers.IntegerField()
    fixed = serializers.DictField()
    settings = serializers.DictField()


class NamedListIn(PageIn):
    """A page, of those alone whose name holds a text."""

    name = Label(limit=NAME, required=False, help_text="A part of the name or slug.")


class BanksOut(serializers.Serializer[Any]):
    banks = BankOut(many=True)
    next_cursor = serializers.CharField(required=False)


class BankDeletionIn(serializers.Serializer[Any]):
    confirm = Label(limit=60, least=1, help_text="The bank's slug, once more.")


class BinnedBankOut(serializers.Serializer[Any]):
    """A bank in the bin; it is gone for good after `purged_after`."""

    id = serializers.CharField()
    slug = serializers.CharField()
    name = serializers.CharField()
    deleted_at = serializers.DateTimeField()
    purged_after = serializers.DateTimeField()


class BinnedBanksOut(serializers.Serializer[Any]):
    banks = BinnedBankOut(many=True)
    next_cursor = serializers.CharField(required=False)


class AgentIn(serializers.Serializer[Any]):
    name = Label(limit=NAME, least=1)
    slug = Label(limit=60, required=False)
    description = Text(limit=ABOUT, required=False)


class AgentChangesIn(serializers.Serializer[Any]):
    name = Label(limit=NAME, least=1, required=False)
    description = Text(limit=ABOUT, required=False)


class AgentOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    slug = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField(required=False)
    created_by = serializers.CharField(required=False)
    created_at = serializers.DateTimeField()
    paused_at = serializers.DateTimeField(required=False)


class AgentsOut(serializers.Serializer[Any]):
    agents = AgentOut(many=True)
    next_cursor = serializers.CharField(required=False)


class ConnectionIn(serializers.Serializer[Any]):
    agent = Label(least=1, help_text="Id or slug.")
    bank = Label(least=1, help_text="Id or slug.")
    tier = Choice(choices=TIERS, required=False, help_text="read_write when absent.")
    toolsets = Names(required=False, help_text=f"Some of {', '.join(TOOLSETS)}.")


class ConnectionChangesIn(serializers.Serializer[Any]):
    tier = Choice(choices=TIERS, required=False)
    toolsets = Names(required=False)


class ConnectionOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    agent = serializers.CharField()
    bank = serializers.CharField()
    tier = serializers.ChoiceField(choices=TIERS)
    toolsets = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
    paused_at = serializers.DateTimeField(required=False)
    last_seen_at = serializers.DateTimeField(required=False)
    last_client = serializers.CharField(required=False)


class ConnectionsOut(serializers.Serializer[Any]):
    connections = ConnectionOut(many=True)
    next_cursor = serializers.CharField(required=False)


class DisconnectedOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    removed = serializers.BooleanField()


class HeldListIn(PageIn):
    """A page of what agents hold, or one of them."""

    agent = Label(required=False, help_text="Id or slug.")


class KeyIn(serializers.Serializer[Any]):
    agent = Label(least=1, help_text="Id or slug.")
    name = Label(limit=NAME, required=False)
    expires_at = Moment(required=False)
    requests_per_minute = Integer(least=1, most=RATE_LIMIT, required=False)


class RotationIn(serializers.Serializer[Any]):
    grace_seconds = Integer(
        least=0, most=GRACE_LIMIT, required=False, help_text="How long the old key still works."
    )


class RevocationIn(serializers.Serializer[Any]):
    reason = Label(limit=300, required=False)


class KeyOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    agent = serializers.CharField()
    name = serializers.CharField(required=False)
    preview = serializers.CharField()
    requests_per_minute = serializers.IntegerField(required=False)
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(required=False)
    last_used_at = serializers.DateTimeField(required=False)
    revoked_at = serializers.DateTimeField(required=False)
    rotated_to = serializers.CharField(required=False)


class KeysOut(serializers.Serializer[Any]):
    keys = KeyOut(many=True)
    next_cursor = serializers.CharField(required=False)


class IssuedKeyOut(KeyOut):
    """With the secret, which is shown this once; a repeat under an Idempotency-Key leaves it out."""

    secret = serializers.CharField(required=False)
