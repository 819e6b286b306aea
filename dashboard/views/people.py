from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from accounts import mail
from accounts.auth.second_factor import people_with_second_factor
from accounts.queries import members
from accounts.queries.people import open_invitations
from accounts.roles import holds
from accounts.services import invitations, people
from accounts.services.invitations import IssuedInvitation
from accounts.tenancy import acting_as
from dashboard.answers import go, show
from dashboard.once import Landing, once
from dashboard.place import Place, screen
from dashboard.presenters.filters import address
from dashboard.presenters.people import present_invitations, present_people, role_choices
from dashboard.settling import settle


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """Who belongs with which role, a page at a time, and who is invited (administrators)."""
    place, sidebar = settle(place)
    after = place.request.GET.get("after") or None
    may_manage = holds(place.actor, "admin")
    with acting_as(place.actor):
        found = members.page(place.actor, after=after)
        waiting = list(open_invitations(place.actor)) if may_manage and after is None else []
    secured = people_with_second_factor([row.user_id for row in found.items])
    here = place.organization_url("people")
    context = {
        "heading": "People",
        "section": "people",
        "people": present_people(place, found.items, secured),
        "invitations": present_invitations(place, waiting),
        "roles": role_choices(place, "member") if may_manage else (),
        "may_manage": may_manage,
        "invite_url": place.organization_url("invite"),
        "fresh_link": place.request.session.pop("invitation_link", None),
        "older_url": address(here, {"after": found.next_cursor}) if found.next_cursor else "",
        "newer_url": here if after else "",
    }
    return show(place, sidebar, "dashboard/people/index.html", context)


@require_POST
@screen
def invite(place: Place) -> HttpResponse:
    form = place.request.POST

    def work() -> Landing:
        return _sent(
            place,
            invitations.invite(
                place.actor, email=form.get("email", ""), role=form.get("role") or "member"
            ),
        )

    return once(place, work)


@require_POST
@screen
def invitation(place: Place, invitation: str) -> HttpResponse:
    """Send again with a new token, or withdraw, by the button that was pressed."""
    if place.request.POST.get("action") == "withdraw":
        invitations.withdraw_invitation(place.actor, invitation)
        said = "The invitation is withdrawn; its link opens nothing."
        return go(place.request, place.organization_url("people"), said)
    return once(place, lambda: _sent(place, invitations.resend_invitation(place.actor, invitation)))


@require_POST
@screen
def member(place: Place, person: str) -> HttpResponse:
    """Give another role, remove, or leave, by the button that was pressed."""
    form = place.request.POST
    if form.get("action") == "remove":
        people.remove_member(place.actor, person)
        if person == place.actor.id:
            return go(place.request, reverse("dashboard:home"), "You left the organization.")
        said = "Removed. The keys that the person made are revoked."
        return go(place.request, place.organization_url("people"), said)
    changed = people.change_role(place.actor, person, form.get("role"))
    said = f"{changed.user} is {changed.role} now."
    return go(place.request, place.organization_url("people"), said)


def _sent(place: Place, issued: IssuedInvitation) -> Landing:
    """Mail the link; where no mail goes out the inviter gets it to hand on, once."""
    path = reverse("accounts:invitation", args=[issued.token])
    link = place.request.build_absolute_uri(path)
    offer = issued.invitation
    context = {
        "inviter": place.actor.name,
        "organization": place.organization.name,
        "role": offer.role,
        "email": offer.email,
        "link": link,
        "expires": f"{offer.expires_at:%-d %B %Y}",
    }
    sent = mail.send("invitation", offer.email, context)
    url = place.organization_url("people")
    if sent and settings.EMAIL_URL:
        return Landing(url=url, text=f"Invited {offer.email}.")
    place.request.session["invitation_link"] = {"email": offer.email, "link": link}
    return Landing(url=url)
