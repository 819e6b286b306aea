"""The frame of a screen: the switches, the navigation, the person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote

from django.urls import reverse

from memory_app.queries.sidebar import Sidebar

if TYPE_CHECKING:
    from dashboard.place import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """A link of the navigation or a choice of a switch."""

    name: str
    url: str
    key: str = ""
    icon: str = ""
    count: int = 0
    # Whether the count is one of things that are wrong.
    alarm: bool = False
    current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    name: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    organization: Destination
    bank: Destination | None
    organizations: tuple[Destination, ...]
    banks: tuple[Destination, ...]
    bank_links: tuple[Destination, ...]
    organization_links: tuple[Destination, ...]
    person: Person
    search_url: str
    palette_url: str
    palette_links: tuple[Destination, ...]
    new_bank_url: str
    all_banks_url: str
    live_url: str
    waiting_url: str
    new_organization_url: str
    views: tuple[Destination, ...]
    may_make_banks: bool


SCREENS = (
    ("memories", "Memories", "notebook-text"),
    ("graph", "Graph", "waypoints"),
    ("entities", "Entities", "shapes"),
    ("files", "Files", "paperclip"),
    ("review", "Review", "scale"),
    ("activity", "Activity", "activity"),
    ("lab", "Recall lab", "flask-conical"),
    ("gaps", "Knowledge gaps", "circle-question-mark"),
    ("tests", "Memory tests", "list-checks"),
    ("ledger", "Ledger", "book-lock"),
    ("usage", "Usage and health", "gauge"),
    ("import", "Import", "import"),
    ("export", "Export", "download"),
    ("connect", "Connect", "plug"),
    ("bank-settings", "Settings", "sliders-horizontal"),
)

ORGANIZATION_SCREENS = (
    ("people", "People", "users"),
    ("banks", "Banks", "library-big"),
    ("access-log", "Access log", "shield"),
    ("organization-settings", "Organization", "building-2"),
)


def build_shell(place: Place, sidebar: Sidebar | None) -> Shell:
    """From what is loaded already; no query. Without a sidebar there is no bank to show."""
    slug = place.organization.slug
    here = sidebar.access.bank if sidebar else None
    home = reverse("dashboard:organization", args=[slug])
    return Shell(
        organization=Destination(name=place.organization.name, url=home),
        bank=Destination(name=here.name, url=place.url("memories")) if here else None,
        organizations=tuple(
            Destination(
                name=each.name,
                url=reverse("dashboard:organization", args=[each.slug]),
                current=each.slug == slug,
            )
            for each in place.memberships
        ),
        banks=tuple(
            Destination(
                name=each.bank.name,
                url=reverse("dashboard:memories", args=[slug, each.bank.slug]),
                current=here is not None and each.bank.id == here.id,
            )
            for each in (sidebar.banks if sidebar else ())
        ),
        bank_links=screen_links(place, waiting=sidebar.open_proposals, red_tests=sidebar.red_tests)
        if sidebar
        else (),
        organization_links=organization_links(place),
        person=Person(name=place.actor.name, role=(place.actor.role or "").capitalize()),
        search_url=place.url("memories") if here else "",
        palette_url=place.url("palette") if here else "",
        palette_links=(*screen_links(place), *organization_links(place)) if here else (),
        new_bank_url=home,
        all_banks_url=place.organization_url("banks") if sidebar and sidebar.more_banks else "",
        new_organization_url=reverse("dashboard:organization-new"),
        waiting_url=place.url("review-waiting") if here else "",
        live_url=f"/ws/o/{quote(slug)}/{quote(here.slug)}/live" if here else "",
        views=view_links(place, sidebar) if sidebar else (),
        may_make_banks=place.actor.role in {"owner", "admin", "member"},
    )


def view_links(place: Place, sidebar: Sidebar) -> tuple[Destination, ...]:
    """The saved views of the list; the one whose query the address has is current."""
    base = place.url("memories")
    here = set(place.request.GET.items()) if place.request.path == base else None
    return tuple(
        Destination(
            key=f"view-{view.id}",
            name=view.name,
            icon="users" if view.shared else "bookmark",
            url=f"{base}?{view.query}" if view.query else base,
            current=here is not None and bool(view.query) and set(parse_qsl(view.query)) == here,
        )
        for view in sidebar.views
    )


def screen_links(place: Place, *, waiting: int = 0, red_tests: int = 0) -> tuple[Destination, ...]:
    """The screens of a bank."""
    counts = {"review": waiting, "tests": red_tests}
    return tuple(
        Destination(
            key=key,
            name=label,
            icon=icon,
            url=place.url(key),
            count=counts.get(key, 0),
            alarm=key == "tests",
        )
        for key, label, icon in SCREENS
    )


def organization_links(place: Place) -> tuple[Destination, ...]:
    """The screens about the whole organization; agents are shown beside a bank."""
    agents = (
        (Destination(key="agents", name="Agents and keys", icon="bot", url=place.url("agents")),)
        if place.bank
        else ()
    )
    return agents + tuple(
        Destination(key=key, name=name, icon=icon, url=place.organization_url(key))
        for key, name, icon in ORGANIZATION_SCREENS
    )


def action_links(place: Place) -> tuple[Destination, ...]:
    """What the palette can begin: pages where something is made or changed."""
    writes = place.actor.role in {"owner", "admin", "member"}
    made = (
        ("New memory", "plus", place.url("memory-new")),
        ("Connect an agent", "plug", place.url("connect")),
        ("New agent or key", "bot", place.url("agents")),
        ("Invite somebody", "mail-plus", place.organization_url("people")),
        ("Delete or restore a bank", "trash-2", place.organization_url("banks")),
    )
    own = (
        ("Your account", "user", reverse("accounts:name")),
        ("Second factor and passkeys", "shield-check", reverse("mfa_index")),
        ("Sessions", "monitor-smartphone", reverse("usersessions_list")),
        ("Change password", "key-round", reverse("account_change_password")),
        ("New organization", "building-2", reverse("dashboard:organization-new")),
    )
    chosen = (*made, *own) if writes else own
    return tuple(Destination(name=name, icon=icon, url=url) for name, icon, url in chosen)
