"""Who belongs with which role, who is invited, and who changed what anyone may do."""

from __future__ import annotations

from typing import Any

from accounts.services import audit, invitations, people
from accounts.services.invitations import IssuedInvitation
from memory_app.rest.access_replies import access_event_reply, invitation_reply, person_reply
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.paging import PageIn
from memory_app.rest.serializers.people import (
    AccessLogIn,
    AccessLogOut,
    InvitationIn,
    InvitationsOut,
    IssuedInvitationOut,
    PeopleListIn,
    PeopleOut,
    PersonOut,
    RemovedOut,
    RoleIn,
)
from memory_app.services.idempotency import Reply

GROUP = "people"


class People(Endpoint):
    @operation(
        "list_people",
        "Who belongs to the organization, in the order they joined (people)",
        query=PeopleListIn,
        answer=PeopleOut,
        group=GROUP,
    )
    def get(self, call: Call) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            found = people.list_people(call.actor, after=after, limit=limit, **filters)
            items = [person_reply(row, found.secured) for row in found.page.items]
            return items, found.page.next_cursor

        return call.page("people", rows, of="people")


class OnePerson(Endpoint):
    @operation("get_person", "One person and the role (people)", answer=PersonOut, group=GROUP)
    def get(self, call: Call, person: str) -> Body:
        return _person(call, person)

    @operation(
        "update_person",
        "Give another role (administrators; owners by owners)",
        body=RoleIn,
        answer=PersonOut,
        group=GROUP,
    )
    def patch(self, call: Call, person: str) -> Body:
        people.change_role(call.actor, person, **call.given)
        return _person(call, person)

    @operation(
        "remove_person",
        "Remove a person, or leave; keys that the person made stop at once",
        answer=RemovedOut,
        group=GROUP,
    )
    def delete(self, call: Call, person: str) -> Body:
        people.remove_member(call.actor, person)
        return {"id": person, "removed": True}


class Invitations(Endpoint):
    @operation(
        "list_invitations",
        "Open invitations, newest first (administrators)",
        query=PageIn,
        answer=InvitationsOut,
        group=GROUP,
    )
    def get(self, call: Call) -> Body:
        def rows(_: dict[str, Any], after: str | None, limit: int) -> Any:
            found = invitations.list_invitations(call.actor, after=after, limit=limit)
            return [invitation_reply(row) for row in found.items], found.next_cursor

        return call.page("invitations", rows, of="invitations")

    @operation(
        "create_invitation",
        "Invite an address by mail; an open invitation to it is replaced (administrators)",
        body=InvitationIn,
        answers={201: IssuedInvitationOut},
        group=GROUP,
    )
    def post(self, call: Call) -> Reply:
        issued = invitations.invite(call.actor, **call.given)
        return _sent(call, issued, self.request.build_absolute_uri("/"))


class OneInvitation(Endpoint):
    @operation(
        "revoke_invitation",
        "Withdraw an invitation; its link opens nothing any more",
        answer=RemovedOut,
        group=GROUP,
    )
    def delete(self, call: Call, invitation: str) -> Body:
        invitations.withdraw_invitation(call.actor, invitation)
        return {"id": invitation, "removed": True}


class ResendInvitation(Endpoint):
    @operation(
        "resend_invitation",
        "Send a new link for seven more days; the earlier one opens nothing any more",
        answers={201: IssuedInvitationOut},
        group=GROUP,
    )
    def post(self, call: Call, invitation: str) -> Reply:
        issued = invitations.resend_invitation(call.actor, invitation)
        return _sent(call, issued, self.request.build_absolute_uri("/"))


class AccessLog(Endpoint):
    @operation(
        "list_access_log",
        "Who changed what anyone may do, newest first (administrators)",
        query=AccessLogIn,
        answer=AccessLogOut,
        group="organization",
    )
    def get(self, call: Call) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            found = audit.list_events(call.actor, after=after, limit=limit, **filters)
            return [access_event_reply(row) for row in found.items], found.next_cursor

        return call.page("events", rows, of="access log")


def _person(call: Call, person: str) -> Body:
    found = people.get_person(call.actor, person)
    return person_reply(found.page.items[0], found.secured)


def _sent(call: Call, issued: IssuedInvitation, base_url: str) -> Reply:
    """The link is in the answer only where no mail went out, and is kept nowhere."""
    link = invitations.deliver(call.actor, issued, base_url=base_url)
    body = invitation_reply(issued.invitation)
    return Reply(status=201, body=body | ({"link": link} if link else {}), kept=body)
