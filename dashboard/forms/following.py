"""The filters of activity and ledger as the address names them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from django.http import QueryDict

from dashboard.forms.browsing import parse_day
from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import is_id
from memory_app.domain.text import SOURCE_LIMIT, clean
from memory_app.queries.feed import KINDS, FeedFilter, Kind
from memory_app.queries.ledger import LedgerFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What to show, and the parameters that say so."""

    where: FeedFilter
    given: dict[str, str] = field(default_factory=dict)
    after: str = ""


def parse_feed(query: QueryDict) -> Followed:
    """A misspelled kind or person is left out. Raises `InvalidArgument` for a day that isn't one."""
    kind: Kind = next((known for known in KINDS if known == query.get("kind", "")), KINDS[0])
    who = person_or_agent(query.get("who", ""))
    operation = _operation(query)
    text = clean(query.get("q", ""), field="q", limit=SOURCE_LIMIT, lines=False)
    since, until = parse_day(query, "since"), parse_day(query, "until")
    given = {"kind": kind, "who": who, "action": operation, "q": text} | {
        name: query.get(name, "").strip() for name in ("since", "until")
    }
    return Followed(
        where=FeedFilter(
            kind=kind,
            who=who,
            operation=operation,
            since=since,
            until=until + timedelta(days=1) if until else None,
            text=text,
        ),
        given={name: value for name, value in given.items() if value},
        after=query.get("after", ""),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """Which ledger entries, and the number to go on below."""

    where: LedgerFilter
    given: dict[str, str] = field(default_factory=dict)
    after: int | None = None


def parse_entries(query: QueryDict) -> Entries:
    """Raises `InvalidArgument` for a day or a number that isn't one."""
    who, operation = query.get("who", "")[:60], _operation(query)
    target = clean(query.get("target", ""), field="target", limit=60, lines=False)
    since, until = parse_day(query, "since"), parse_day(query, "until")
    given = {"who": who, "action": operation, "target": target} | {
        name: query.get(name, "").strip() for name in ("since", "until")
    }
    return Entries(
        where=LedgerFilter(
            operation=operation or None,
            target=target or None,
            actor=clean(who, field="who", limit=60, lines=False) or None,
            created_from=since,
            created_to=until + timedelta(days=1) if until else None,
        ),
        given={name: value for name, value in given.items() if value},
        after=_number(query.get("after", "")),
    )


def person_or_agent(text: str) -> str:
    return text if is_id("agent", text) or is_id("user", text) else ""


def _operation(query: QueryDict) -> str:
    return clean(query.get("action", ""), field="action", limit=40, lines=False)


def _number(text: str) -> int | None:
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise InvalidArgument(
            "after is not the cursor of a page of the ledger.",
            hint="Follow the link to the next page, or leave it out.",
            field="after",
        )
    return int(text)
