from __future__ import annotations

from dataclasses import replace
from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.auth.second_factor import has_second_factor
from accounts.models import User
from accounts.queries.names import names_of
from accounts.roles import holds
from accounts.services import audit, organizations, taking_back
from accounts.services.new_organizations import create_own_organization, may_create
from accounts.tenancy import acting_as
from dashboard.answers import go, local, show
from dashboard.forms.browsing import parse_name
from dashboard.forms.numbers import whole
from dashboard.http import Request
from dashboard.once import again, first_time
from dashboard.place import Place, screen
from dashboard.presenters import filters
from dashboard.presenters.access_log import named_ids, present_access_events, said_back
from dashboard.presenters.banks import present_banks, present_binned
from dashboard.settling import settle
from dashboard.undoing import way_back
from memory_app.domain.errors import ProductError
from memory_app.services import bank_bin, ending
from memory_app.services.banks import NAME_LIMIT, list_banks
from memory_app.services.sample_bank import make_sample


@require_http_methods(["GET", "POST"])
@login_required
def new(request: Request) -> HttpResponse:
    """The form for one more organization; whoever may not make one reads why."""
    person = cast(User, request.user)
    problem: ProductError | None = None
    if request.method == "POST":
        if not first_time(request):
            said = "The form was sent twice; it was carried out once."
            return go(request, reverse("dashboard:home"), said)
        try:
            made = create_own_organization(person, name=request.POST.get("name", ""))
            url = reverse("dashboard:organization", args=[made.slug])
            return go(request, url, f"{made.name} is ready. Make its first bank.")
        except ProductError as error:
            problem = error
            again(request)
    context = {
        "problem": problem,
        "given": request.POST.get("name", ""),
        "allowed": may_create(person),
    }
    return render(
        request,
        "dashboard/organization/new.html",
        context,
        status=problem.status if problem else 200,
    )


@require_http_methods(["GET", "POST"])
@screen
def settings(place: Place) -> HttpResponse:
    """Name, cap and second factor; deletion, asked for and taken back, by the button pressed."""
    if place.request.method == "POST":
        return _change(place)
    place, sidebar = settle(place)
    found = organizations.get_organization(place.actor)
    context = {
        "heading": "Organization",
        "section": "organization-settings",
        "organization": found,
        "may_change": holds(place.actor, "owner"),
        "secured": has_second_factor(place.actor.id),
        "save_url": place.organization_url("organization-settings"),
        "leave_url": place.organization_url("member", place.actor.id),
        "banks_url": place.organization_url("banks"),
    }
    return show(place, sidebar, "dashboard/organization/settings.html", context)


@require_GET
@screen
def access_log(place: Place) -> HttpResponse:
    """Who changed what anyone may do, newest first, a page at a time. Administrators."""
    place, sidebar = settle(place)
    after = place.request.GET.get("after") or None
    here = place.organization_url("access-log")
    found = audit.list_events(place.actor, after=after)
    with acting_as(place.actor):
        names = names_of(place.actor, named_ids(found.items))
    context = {
        "heading": "Access log",
        "section": "access-log",
        "events": present_access_events(found.items, names),
        **filters.pager(here, {}, after, found.next_cursor),
    }
    return show(place, sidebar, "dashboard/organization/access_log.html", context)


@require_POST
@screen
def undo_access(place: Place, event: str) -> HttpResponse:
    """What people or agents may do as it was before that change; back to where the toast stood."""
    undone = taking_back.take_back(place.actor, event)
    here = place.organization_url("people")
    url = local(place.request, place.request.GET.get("next", ""), here)
    return go(place.request, url, said_back(undone))


@require_http_methods(["GET", "POST"])
@screen
def banks(place: Place) -> HttpResponse:
    """The banks that the person sees, a page at a time, and the bin; a POST takes one out of it."""
    here = place.organization_url("banks")
    if place.request.method == "POST":
        restored = bank_bin.restore_bank(place.actor, place.request.POST.get("bank", ""))
        return go(place.request, here, f"{restored.name} is back, as it was.")
    place, sidebar = settle(place)
    after = place.request.GET.get("after") or None
    named = parse_name(place.request.GET, limit=NAME_LIMIT)
    found = list_banks(place.actor, name=named, after=after)
    first = after is None and not named
    context = {
        "heading": "Banks",
        "section": "banks",
        "banks": present_banks(place, found.items),
        "binned": present_binned(place, bank_bin.list_binned(place.actor).items) if first else (),
        "banks_url": here,
        "named": named,
        "searchable": bool(named or after or found.next_cursor),
        "may_make": holds(place.actor, "member"),
        "sample_url": place.organization_url("sample"),
        **filters.pager(here, {"q": named}, after, found.next_cursor),
    }
    return show(place, sidebar, "dashboard/organization/banks.html", context)


@require_POST
@screen
def restore(place: Place, bank_id: str) -> HttpResponse:
    """Out of the bin: the undo of a deletion."""
    restored = bank_bin.restore_bank(place.actor, bank_id)
    url = replace(place, bank=restored.slug).url("memories")
    return go(place.request, url, f"{restored.name} is back, as it was.")


@require_POST
@screen
def sample(place: Place) -> HttpResponse:
    """Make the sample bank, or go to the one that is there."""
    made = make_sample(place.actor)
    url = replace(place, bank=made.slug).url("memories")
    return go(place.request, url, "Look around; nothing here touches your own banks.")


def _change(place: Place) -> HttpResponse:
    form, started = place.request.POST, timezone.now()
    here = place.organization_url("organization-settings")
    action = form.get("action", "save")
    if action == "delete":
        ending.request_deletion(place.actor, confirm=form.get("confirm", "").strip())
        said = (
            "Every bank is in the bin and every key is revoked. You can take it back for 30 days."
        )
    elif action == "keep":
        ending.cancel_deletion(place.actor)
        said = "The organization stays. Restore its banks from the bin."
    elif action == "security":
        wanted = form.get("requires_mfa") == "1"
        organizations.update_organization(place.actor, requires_mfa=wanted)
        said = "Members need a second factor now." if wanted else "A password alone is enough now."
    else:
        cap = form.get("daily_operation_cap", "").strip()
        organizations.update_organization(
            place.actor,
            name=form.get("name", ""),
            daily_operation_cap=whole(cap) if cap else None,
        )
        said = "Saved."
    undo = way_back(place, place.actor.organization_id, since=started, here=here)
    return go(place.request, here, said, undo=undo)
