"""People: added, given another role, removed. Keys follow the rights of whoever made them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from django.db import IntegrityError
from django.utils import timezone

from accounts.actor import ROLE_ORDER, Actor, Role
from accounts.auth.second_factor import people_with_second_factor
from accounts.models import ApiKey, Connection, Invitation, Membership
from accounts.queries.banks import seen_banks
from accounts.queries.pages import Page
from accounts.queries.people import find_member, lock_standing, members_page
from accounts.roles import holds, require_role
from accounts.services.api_keys import revoke, working
from accounts.services.audit import changed_since, record
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument, RoleInsufficient


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """Members, and the ids of those among them who have a second factor."""

    page: Page[Membership]
    secured: set[str]


def parse_role(value: object) -> Role:
    if not isinstance(value, str) or value not in ROLE_ORDER:
        raise InvalidArgument(
            f"role must be one of {', '.join(ROLE_ORDER)}, not {value!r:.40}.",
            hint="Each role includes the ones before it.",
            field="role",
        )
    return value


def add_member(actor: Actor, user_id: str, role: object) -> Membership:
    """Add a person who has an account. Raises `Conflict` for one who belongs already."""
    wanted = parse_role(role)
    require_grant(actor, wanted)
    try:
        with acting_as(actor):
            lock_standing(actor)
            membership = Membership.objects.create(
                organization_id=actor.organization_id, user_id=user_id, role=wanted
            )
            record(actor, "member.added", user_id, role=wanted)
    except IntegrityError:
        raise Conflict("This person belongs to the organization already.") from None
    return membership


def change_role(actor: Actor, user_id: str, role: object, *, expected: object = None) -> Membership:
    """Give another role. On the way down, keys the person may no longer make are revoked at once.

    Raises `Conflict` when the organization would be left without an owner, and when the role isn't
    the `expected` one.
    """
    wanted = parse_role(role)
    with acting_as(actor):
        membership = _locked_member(actor, user_id)
        before = cast(Role, membership.role)
        _require_over(actor, membership)
        require_grant(actor, wanted)
        if expected not in (None, before):
            raise changed_since()
        if wanted == before:
            return membership
        if before == "owner" and wanted != "owner":
            _require_another_owner(actor, user_id)
        membership.role = wanted
        membership.save(update_fields=["role"])
        record(actor, "member.role_changed", user_id, before=before, after=wanted)
        if ROLE_ORDER[wanted] < ROLE_ORDER[before]:
            _withdraw(actor, user_id, wanted)
    return membership


def remove_member(actor: Actor, user_id: str) -> None:
    """End a membership and revoke every key the person made, in one transaction.

    Administrators remove others, anyone may leave. Agents and connections stay: a key that somebody
    else made for the same agent works on. Raises `Conflict` for the last owner.
    """
    with acting_as(actor):
        membership = _locked_member(actor, user_id)
        if user_id != actor.id:
            _require_over(actor, membership)
        if membership.role == "owner":
            _require_another_owner(actor, user_id)
        Membership.objects.filter(id=membership.id).delete()
        record(actor, "member.removed", user_id, role=membership.role)
        _withdraw(actor, user_id, None)


def list_people(
    actor: Actor, *, name: str = "", after: str | None = None, limit: int = 50
) -> People:
    """A page of who belongs, in the order they joined. Two queries. People only."""
    require_role(actor, "viewer", to="see people")
    with acting_as(actor):
        page = members_page(actor, named=name, after=after, limit=limit)
        return People(page=page, secured=people_with_second_factor(_ids(page.items)))


def get_person(actor: Actor, user_id: str) -> People:
    """One who belongs, by the person's id, as a page of one. Two queries. People only."""
    with acting_as(actor):
        found = find_member(actor, user_id)
        require_role(actor, "viewer", to="see people")
        page = Page(items=(found,), next_cursor=None)
        return People(page=page, secured=people_with_second_factor(_ids(page.items)))


def require_grant(actor: Actor, role: Role) -> None:
    """Administrators grant up to their own role. Raises `RoleInsufficient`."""
    require_role(actor, "admin", to="manage people")
    if not holds(actor, role):
        raise RoleInsufficient(
            f"Your role '{actor.role}' can't grant the role '{role}'.", hint="Ask an owner."
        )


def _locked_member(actor: Actor, user_id: str) -> Membership:
    """Changes of people queue on the organization, so that two owners can't remove each other."""
    lock_standing(actor)
    return find_member(actor, user_id)


def _require_over(actor: Actor, membership: Membership) -> None:
    require_role(actor, "admin", to="manage people")
    if not holds(actor, cast(Role, membership.role)):
        raise RoleInsufficient("Only an owner may change or remove an owner.", hint="Ask an owner.")


def _require_another_owner(actor: Actor, user_id: str) -> None:
    owners = Membership.objects.filter(organization_id=actor.organization_id, role="owner")
    if not owners.exclude(user_id=user_id).exists():
        raise Conflict(
            "This is the organization's last owner.", hint="Make another person an owner first."
        )


def _withdraw(actor: Actor, user_id: str, role: Role | None) -> None:
    """What the person made and, with this role, could no longer make: keys and open invitations.

    A member keeps keys of agents it made, unless such an agent reaches a private bank of somebody
    else's; a viewer and a stranger keep none.
    """
    if role in ("owner", "admin"):
        return
    keys = ApiKey.objects.filter(
        working(timezone.now()), organization_id=actor.organization_id, created_by=user_id
    )
    if role == "member":
        person = Actor(
            organization_id=actor.organization_id, kind="user", id=user_id, role="member"
        )
        connections = Connection.objects.filter(organization_id=actor.organization_id)
        beyond = connections.exclude(seen_banks(person, "bank__")).values("agent_id")
        keys = keys.exclude(agent__created_by=user_id) | keys.filter(agent_id__in=beyond)
    reason = "its maker left the organization" if role is None else f"its maker became {role}"
    revoke(actor, list(keys.select_for_update(of=("self",))), reason=reason)
    Invitation.objects.filter(
        organization_id=actor.organization_id, accepted_at=None, invited_by__id=user_id
    ).delete()


def _ids(members: Sequence[Membership]) -> list[str]:
    return [member.user_id for member in members]
