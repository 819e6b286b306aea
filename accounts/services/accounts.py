"""A person's own account: named and taken down by the person."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.db import transaction

from accounts.actor import Actor
from accounts.auth.sessions import memberships_of
from accounts.models import User
from accounts.services.people import remove_member
from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.domain.text import clean

NAME_LIMIT = 120


def rename(user: User, name: object) -> None:
    """How the person is called; empty means by the e-mail address."""
    user.name = clean(name, field="name", limit=NAME_LIMIT, lines=False)
    user.save(update_fields=["name"])


def delete_account(user: User, *, confirm: object) -> None:
    """Leave every organization and forget who the person was, for good.

    The row and its id stay, since ledgers that nobody may rewrite name it; address, name, password,
    second factors and sessions go. Keys that the person made are revoked. Raises `InvalidArgument`
    unless `confirm` repeats the e-mail address, and `Conflict`, with nothing left yet, for the last
    owner of an organization that has other members.
    """
    if not isinstance(confirm, str) or confirm.strip().lower() != user.email.lower():
        raise InvalidArgument(
            "confirm must repeat your e-mail address.",
            hint=f"Type {user.email} to delete the account.",
            field="confirm",
        )
    _leave_all(user)
    kept: dict[str, Any] = {"email": f"{user.id}@deleted.invalid", "name": "", "is_active": False}
    with transaction.atomic():
        User.objects.filter(id=user.id).update(**kept)
        gone = User.objects.get(id=user.id)
        gone.set_unusable_password()
        gone.save(update_fields=["password"])
        for model in (EmailAddress, Authenticator):
            model.objects.filter(user_id=user.id).delete()
        for session in UserSession.objects.filter(user_id=user.id):
            session.end()


def _leave_all(user: User) -> None:
    """Organization by organization; the first that can't be left stops it, and names itself."""
    for membership in memberships_of(user):
        actor = Actor(
            organization_id=membership.organization_id,
            kind="user",
            id=user.id,
            name=str(user),
            role=membership.role,
            door="dashboard",
        )
        try:
            remove_member(actor, user.id)
        except Conflict as error:
            raise Conflict(
                f"{membership.name}: {error.message}",
                hint="Make another person an owner, or ask for the organization's deletion first.",
            ) from None
