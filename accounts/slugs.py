"""Slugs of organizations, agents and banks: made from a name, or given by the caller."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from django.utils.text import slugify

from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.domain.text import clean

SLUG_LIMIT = 60


def given_slug(value: object) -> str:
    """A slug a caller chose. Raises `InvalidArgument` when it isn't in the form of one."""
    slug = clean(value, field="slug", limit=SLUG_LIMIT, least=1, lines=False)
    if slug != slugify(slug, allow_unicode=True):
        raise InvalidArgument(
            "slug may hold only lower-case letters, digits, hyphens and underscores.",
            hint=f"Send for example '{_made(slug, 'name')}'.",
            field="slug",
        )
    return slug


def choose_slug(
    given: object,
    name: str,
    *,
    taken: Callable[[str], bool],
    kind: str,
    reserved: tuple[str, ...] = (),
) -> str:
    """The slug given, or one made from the name, with a number added while it is taken.

    Raises `Conflict` when the slug that the caller named is taken. `taken` is asked once a try.
    """
    if given is not None:
        slug = given_slug(given)
        if slug in reserved or taken(slug):
            raise slug_taken(slug, kind)
        return slug
    made = _made(name, kind)
    tries = itertools.chain([made], (_numbered(made, number) for number in itertools.count(2)))
    return next(slug for slug in tries if slug not in reserved and not taken(slug))


def slug_taken(slug: str, kind: str) -> Conflict:
    return Conflict(
        f"The slug '{slug}' is taken by another {kind}.",
        hint="Send another slug, or none to have one made from the name.",
        field="slug",
    )


def _made(name: str, fallback: str) -> str:
    return slugify(name, allow_unicode=True)[:SLUG_LIMIT].strip("-_") or fallback


def _numbered(slug: str, number: int) -> str:
    suffix = f"-{number}"
    return slug[: SLUG_LIMIT - len(suffix)] + suffix
