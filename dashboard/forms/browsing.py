"""What the list of memories is asked for, read from the address."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from django.http import QueryDict

from memory_app.domain.errors import InvalidArgument
from memory_app.domain.ids import is_id
from memory_app.domain.text import QUERY_LIMIT, SOURCE_LIMIT, clean, fold_tag
from memory_app.domain.times import parse_instant
from memory_app.providers.clock import now
from memory_app.queries.browsing import ORDERS
from memory_app.queries.memories import MemoryFilter
from memory_app.recall.values import Filters

# The tabs of the list by their name in the address; none is the live ones.
STATES = {"pinned": "live", "retired": "retired", "pending": "pending", "bin": "deleted"}
_LABELS = ("tag", "category", "collection", "source", "session", "entity")
_DATES = ("since", "until", "as_of")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """`given` holds the filters as they stand in the address, for links and fields.

    `entity` is a name or an id; whoever reads the list finds out which entity it is.
    """

    q: str = ""
    tab: str = ""
    where: MemoryFilter = field(default_factory=MemoryFilter)
    entity: str = ""
    order: str = ""
    as_of: datetime | None = None
    after: str = ""
    given: dict[str, str] = field(default_factory=dict)

    @property
    def is_search(self) -> bool:
        """Recall answers for live memories; in the other states a text is looked for as it stands."""
        # What recall doesn't filter by: then a text is looked for as it stands as well.
        listed = (
            self.where.never_recalled
            or self.where.untouched_since is not None
            or self.where.import_id is not None
            or self.where.session is not None
        )
        return bool(self.q) and self.tab in {"", "pinned"} and not listed

    @property
    def follows(self) -> bool:
        """Whether what is saved now would stand at the top of the list, or below the pinned ones."""
        picked = self.q or self.tab or self.entity or self.order or self.as_of or self.after
        return not picked and self.where.import_id is None

    @property
    def parameters(self) -> dict[str, str]:
        """Everything but the page: the address that a link to the same list carries."""
        sort = {"sort": self.order} if self.order else {}
        return self.given | ({"state": self.tab} if self.tab else {}) | sort

    @property
    def filters(self) -> Filters:
        """The same conditions as recall takes them; an entity by its name."""
        return Filters(
            tags=self.where.tags,
            category=self.where.category,
            collection=self.where.collection,
            authors=(self.where.author,) if self.where.author else (),
            source=self.where.source,
            created_from=self.where.created_from,
            created_to=self.where.created_to,
            pinned=self.where.pinned,
        )


def parse_name(query: QueryDict, *, limit: int) -> str:
    """What a list of names is searched for. Raises `InvalidArgument` for what no name holds."""
    return clean(query.get("q", "")[:limit], field="q", limit=QUERY_LIMIT, lines=False)


def parse_list(query: QueryDict) -> ListQuery:
    """Raises `InvalidArgument` naming the field: a text with NUL, a day that isn't one."""
    labels = {
        name: clean(query.get(name, ""), field=name, limit=SOURCE_LIMIT, lines=False)
        for name in _LABELS
    }
    author = query.get("author", "")
    if author and not (is_id("agent", author) or is_id("user", author)):
        raise InvalidArgument(
            "author must be the id of an agent or a person.", hint="Choose one from the list."
        )
    imported = query.get("import", "")
    if imported and not is_id("imp", imported):
        raise InvalidArgument(
            "import must be the id of an import.",
            hint="Open it on the Import page.",
            field="import",
        )
    q = clean(query.get("q", ""), field="q", limit=QUERY_LIMIT)
    tab = query.get("state", "")
    order = clean(query.get("sort", ""), field="sort", limit=40)
    since, until = parse_day(query, "since"), parse_day(query, "until")
    never, idle = query.get("recalled", "") == "never", _idle(query)
    given = {"q": q, "author": author, **labels, "import": imported}
    given |= {"recalled": "never" if never else "", "idle": str(idle or "")}
    given |= {name: query.get(name, "").strip() for name in _DATES}
    return ListQuery(
        q=q,
        tab=tab if tab in STATES else "",
        where=MemoryFilter(
            state=STATES.get(tab, "live"),
            pinned=True if tab == "pinned" else False if idle else None,
            never_recalled=never,
            untouched_since=now() - timedelta(days=idle) if idle else None,
            text=q,
            author=author or None,
            tags=(fold_tag(labels["tag"]),) if labels["tag"] else (),
            category=labels["category"] or None,
            collection=labels["collection"] or None,
            source=labels["source"] or None,
            session=labels["session"] or None,
            import_id=imported or None,
            created_from=since,
            created_to=until + timedelta(days=1) if until else None,
        ),
        entity=labels["entity"],
        order=order if order in ORDERS else "",
        as_of=_instant(query),
        after=query.get("after", ""),
        given={name: value for name, value in given.items() if value},
    )


def _idle(query: QueryDict) -> int:
    """For how many days nobody touched it; 0 when that isn't asked."""
    text = query.get("idle", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 5 else 0


def parse_day(query: QueryDict, name: str) -> datetime | None:
    """A day of the address as its first instant in UTC. Raises `InvalidArgument`."""
    text = query.get(name, "").strip()
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
        if day.year == date.max.year:
            raise ValueError(text)
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    except ValueError:
        raise InvalidArgument(
            f"{name} is not a day: {text[:40]!r}.",
            hint="Write it as 2026-11-30.",
            field=name,
        ) from None


def _instant(query: QueryDict) -> datetime | None:
    """The end of a day, or the very instant that was given."""
    text = query.get("as_of", "").strip()
    if "T" in text or ":" in text:
        return parse_instant(text, field="as_of")
    day = parse_day(query, "as_of")
    return day + timedelta(days=1) - timedelta(microseconds=1) if day else None
