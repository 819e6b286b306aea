from __future__ import annotations

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from accounts.roles import holds
from accounts.services import invitations, people
from accounts.services.accounts import NAME_LIMIT
from accounts.services.invitations import OPEN_LIMIT, IssuedInvitation
from dashboard.answers import go, show
from dashboard.forms.browsing import parse_name
from dashboard.once import Landing, once
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.people import present_invitations, present_people, role_choices
from dashboard.settling import settle
from dashboard.undoing import way_back


@require_GET
@screen
def index(place: Place) -> HttpResponse:
    """Who belongs with which role, a page at a time, and who is invited (administrators)."""
    place, sidebar = settle(place)
    after = place.request.GET.get("after") or None
    named = parse_name(place.request.GET, limit=NAME_LIMIT)
    may_manage = holds(place.actor, "admin")
    found = people.list_people(place.actor, name=named, after=after)
    asked = may_manage and after is None and not named
    waiting = invitations.list_invitations(place.actor, limit=OPEN_LIMIT).items if asked else ()
    here = place.organization_url("people")
    context = {
        "heading": "People",
        "section": "people",
        "people": present_people(place, found.page.items, found.secured),
        "invitations": present_invitations(place, waiting),
        "roles": role_choices(place, "member") if may_manage else (),
        "may_manage": may_manage,
        "invite_url": place.organization_url("invite"),
        "fresh_link": place.request.session.pop("invitation_link", None),
        "named": named,
        "searchable": bool(named or after or found.page.next_cursor),
        "list_url": here,
        **filters.pager(here, {"q": named}, after, found.page.next_cursor),
    }
    return show(place, sidebar, "dashboard/people/index.html", context)


@require_POST
@screen
def invite(place: Place) -> HttpResponse:
    form, started = place.request.POST, timezone.now()

    def work() -> Landing:
        issued = invitations.invite(
            place.actor, email=form.get("email", ""), role=form.get("role") or "member"
        )
        here = place.organization_url("people")
        undo = way_back(place, issued.invitation.id, since=started, here=here)
        return _sent(place, issued, undo=undo)

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
    form, started = place.request.POST, timezone.now()
    url = place.organization_url("people")
    if form.get("action") == "remove":
        people.remove_member(place.actor, person)
        if person == place.actor.id:
            return go(place.request, reverse("dashboard:home"), "You left the organization.")
        said = "Removed. The keys that the person made are revoked."
    else:
        changed = people.change_role(place.actor, person, form.get("role"))
        said = f"{changed.user} is {changed.role} now."
    undo = way_back(place, person, since=started, here=url)
    return go(place.request, url, said, undo=undo)


def _sent(place: Place, issued: IssuedInvitation, *, undo: str = "") -> Landing:
    """Where no mail goes out the inviter gets the link to hand on, once."""
    email = issued.invitation.email
    url = place.organization_url("people")
    base_url = place.request.build_absolute_uri("/")
    link = invitations.deliver(place.actor, issued, base_url=base_url)
    if link:
        place.request.session["invitation_link"] = {"email": email, "link": link}
        return Landing(url=url)
    return Landing(url=url, text=f"Invited {email}.", undo=undo)
