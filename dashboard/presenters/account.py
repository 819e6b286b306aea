"""The pages of a person's own account, as links."""

from __future__ import annotations

from django.urls import reverse

from dashboard.presenters.shell import Destination

PAGES = (
    ("accounts:name", "Name", "user"),
    ("account_email", "E-mail", "mail"),
    ("account_change_password", "Password", "key-round"),
    ("mfa_index", "Second factor", "shield-check"),
    ("usersessions_list", "Sessions", "monitor-smartphone"),
    ("accounts:delete", "Delete account", "user-x"),
)


def account_pages(here: str) -> tuple[Destination, ...]:
    """`here` is the path of the page that is open; the pages below one count as that one, and setting a
    password as changing it.
    """
    return tuple(
        Destination(
            name=name, url=url, icon=icon, current=here.startswith(url.removesuffix("change/"))
        )
        for name, icon, url in ((name, icon, reverse(route)) for route, name, icon in PAGES)
    )
