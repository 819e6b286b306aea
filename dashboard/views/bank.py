from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods, require_POST

from accounts.tenancy import acting_as
from dashboard.answers import go, show
from dashboard.forms.numbers import whole
from dashboard.place import Place, screen
from dashboard.presenters.banks import DAYS, NUMBERS, fixed_fields, number_fields
from memory_app.domain.errors import InvalidArgument
from memory_app.queries.sidebar import load_sidebar
from memory_app.services import bank_bin, banks

_TEXTS = ("name", "description", "visibility")
_SWITCHES = ("auto_link", "review_mode")


@require_http_methods(["GET", "POST"])
@screen
def settings(place: Place) -> HttpResponse:
    """What can be tuned, what is fixed and why; a refused value comes back with its reason."""
    problem: InvalidArgument | None = None
    if place.request.method == "POST":
        try:
            before = banks.last_update(place.actor, place.bank)
            changed = banks.update_bank(place.actor, place.bank, **_changes(place))
            last = banks.last_update(place.actor, place.bank)
            undo = place.url("bank-settings-undo", str(last)) if last and last != before else ""
            url = place.url("bank-settings")
            return go(place.request, url, f"{changed.name} is saved.", undo=undo)
        except InvalidArgument as error:
            problem = error
    with acting_as(place.actor):
        sidebar = load_sidebar(place.actor, place.bank)
    bank = sidebar.access.bank
    context = {
        "heading": "Bank settings",
        "section": "bank-settings",
        "bank": bank,
        "numbers": number_fields(bank),
        "fixed": fixed_fields(bank),
        "problem": problem,
        "may_tune": banks.may_tune(place.actor, bank),
        "save_url": place.url("bank-settings"),
        "delete_url": place.url("bank-delete"),
        "model_url": place.url("bank-model"),
        "days": bank_bin.BIN_DAYS,
    }
    status = problem.status if problem else 200
    return show(place, sidebar, "dashboard/bank/settings.html", context, status=status)


@require_POST
@screen
def undo(place: Place, watermark: int) -> HttpResponse:
    """The settings as they stood before the change of that number."""
    changed = banks.undo_update(place.actor, place.bank, watermark)
    url = place.url("bank-settings")
    return go(place.request, url, f"{changed.name} is set as before.")


@require_POST
@screen
def delete(place: Place) -> HttpResponse:
    """To the bin of the organization's banks."""
    confirm = place.request.POST.get("confirm", "").strip()
    gone = bank_bin.bin_bank(place.actor, place.bank, confirm=confirm)
    here = place.organization_url("banks")
    said = f"{gone.name} is in the bin for {bank_bin.BIN_DAYS} days."
    undo = place.organization_url("bank-restore", gone.id)
    return go(place.request, here, said, undo=undo)


def _changes(place: Place) -> dict[str, Any]:
    form = place.request.POST
    texts: dict[str, Any] = {name: form[name] for name in _TEXTS if name in form}
    fractions = {name: _number(form[name]) for name, *_ in NUMBERS if form.get(name)}
    days = {name: whole(form[name]) for name, *_ in DAYS if form.get(name)}
    switches = {name: form.get(name) == "1" for name in _SWITCHES} if "switches" in form else {}
    return texts | fractions | days | switches


def _number(text: str) -> float | str:
    """What isn't a number goes on as it is, for the service to refuse by name."""
    try:
        return float(text)
    except ValueError:
        return text
