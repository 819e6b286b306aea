"""The end of an organization: asked for by an owner, taken back within 30 days, or carried out."""

from __future__ import annotations

from django.utils import timezone

from accounts.actor import Actor
from accounts.models import ApiKey, Invitation, Organization
from accounts.queries.people import lock_standing
from accounts.roles import require_role
from accounts.services.api_keys import revoke, working
from accounts.services.audit import record
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.models import Bank
from memory_app.queries.access import Access
from memory_app.services.bank_bin import put_away


def request_deletion(actor: Actor, *, confirm: object) -> Organization:
    """Put every bank into the bin and revoke every key and invitation, in one transaction.

    Owners only; `confirm` repeats the slug. People keep their place, so that it can be taken back
    until the banks are purged. What stays after that: the names of people while they belong, the
    access log, and the ledgers' entries, which hold no content.
    """
    with acting_as(actor):
        lock_standing(actor)
        organization = Organization.objects.get(id=actor.organization_id)
        require_role(actor, "owner", to="delete the organization")
        if confirm != organization.slug:
            raise InvalidArgument(
                "confirm must repeat the organization's slug.",
                hint=f"Type {organization.slug} to delete the organization.",
                field="confirm",
            )
        if organization.deletion_requested_at is not None:
            raise Conflict("The deletion was asked for already.")
        organization.deletion_requested_at = timezone.now()
        organization.save(update_fields=["deletion_requested_at"])
        record(actor, "organization.deletion_requested", organization.id)
        for bank in Bank.objects.filter(organization_id=organization.id, deleted_at=None):
            put_away(Access(actor=actor, bank=bank, tier="full"))
        keys = ApiKey.objects.filter(working(timezone.now()), organization_id=organization.id)
        revoke(actor, list(keys), reason="the organization is being deleted")
        Invitation.objects.filter(organization_id=organization.id, accepted_at=None).delete()
    return organization


def cancel_deletion(actor: Actor) -> Organization:
    """Take the request back. Banks are restored one by one from the bin; keys are made anew."""
    with acting_as(actor):
        lock_standing(actor)
        organization = Organization.objects.get(id=actor.organization_id)
        require_role(actor, "owner", to="keep the organization")
        if organization.deletion_requested_at is not None:
            organization.deletion_requested_at = None
            organization.save(update_fields=["deletion_requested_at"])
            record(actor, "organization.deletion_cancelled", organization.id)
    return organization
