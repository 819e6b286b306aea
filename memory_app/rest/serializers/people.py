"""People, invitations and the access log, as REST takes and gives them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from accounts.actor import ROLE_ORDER
from accounts.services.accounts import NAME_LIMIT
from accounts.services.invitations import EMAIL_LIMIT
from memory_app.rest.fields import Choice, Label
from memory_app.rest.paging import PageIn

# Named for the API description's shared types.
ROLES = tuple(ROLE_ORDER)


class PeopleListIn(PageIn):
    name = Label(limit=NAME_LIMIT, required=False, help_text="A part of the name or address.")


class RoleIn(serializers.Serializer[Any]):
    role = Choice(choices=ROLES, help_text="Each includes the ones before it.")


class PersonOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    email = serializers.CharField()
    name = serializers.CharField(required=False)
    role = serializers.ChoiceField(choices=ROLES)
    second_factor = serializers.BooleanField()
    joined_at = serializers.DateTimeField()


class PeopleOut(serializers.Serializer[Any]):
    people = PersonOut(many=True)
    next_cursor = serializers.CharField(required=False)


class RemovedOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    removed = serializers.BooleanField()


class InvitationIn(serializers.Serializer[Any]):
    email = Label(limit=EMAIL_LIMIT, least=1)
    role = Choice(choices=ROLES, required=False, help_text="member when absent.")


class InvitationOut(serializers.Serializer[Any]):
    """An offer to join that nobody has taken yet; after `expires_at` it opens nothing."""

    id = serializers.CharField()
    email = serializers.CharField()
    role = serializers.ChoiceField(choices=ROLES)
    invited_by = serializers.CharField(required=False)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()


class IssuedInvitationOut(InvitationOut):
    """With the link to hand on where no mail went out; a repeat under an Idempotency-Key leaves it out."""

    link = serializers.CharField(required=False)


class InvitationsOut(serializers.Serializer[Any]):
    invitations = InvitationOut(many=True)
    next_cursor = serializers.CharField(required=False)


class AccessLogIn(PageIn):
    target = Label(required=False, help_text="The id of a person, agent, key, bank ...")


class AccessEventOut(serializers.Serializer[Any]):
    id = serializers.CharField()
    at = serializers.DateTimeField()
    operation = serializers.CharField()
    target = serializers.CharField()
    actor = serializers.CharField()
    reason = serializers.CharField(required=False)
    details = serializers.DictField()
    request_id = serializers.CharField(required=False)
    door = serializers.CharField(required=False)


class AccessLogOut(serializers.Serializer[Any]):
    events = AccessEventOut(many=True)
    next_cursor = serializers.CharField(required=False)
