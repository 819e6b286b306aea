"""What the graph and the list of entities are asked for, read from the address."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.http import QueryDict

from dashboard.forms.browsing import parse_day
from memory_app.domain.errors import InvalidArgument, WrongIdPrefix
from memory_app.domain.ids import is_id
from memory_app.domain.names import NAME_LIMIT, RELATION_LIMIT, TYPE_LIMIT
from memory_app.domain.text import clean
from memory_app.domain.times import parse_instant
from memory_app.domain.values import parse_integer
from memory_app.queries.entities import ORDERS
from memory_app.queries.surroundings import DEPTH_LIMIT, EXPAND_LIMIT, Conditions, View
from memory_app.services.pictures import NODES_LIMIT

NODES = 300
SIZES = (100, 300, 1_000, 2_500, 5_000)
# What an address of the graph may say, in this order.
NAMES = (
    "focus",
    "depth",
    "nodes",
    "type",
    "relation",
    "author",
    "since",
    "until",
    "as_of",
    "expand",
    "to",
    "select",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphQuery:
    """`given` holds what stands in the address, for links and fields; `to` is a name or an id."""

    q: str = ""
    focus: str = ""
    select: str = ""
    to: str = ""
    depth: int = 1
    nodes: int = NODES
    expand: tuple[str, ...] = ()
    as_of: datetime | None = None
    where: Conditions = field(default_factory=Conditions)
    given: dict[str, str] = field(default_factory=dict)

    @property
    def chosen(self) -> str:
        """The entity that the panel is about."""
        return self.select or self.focus

    def view(self, *also: str) -> View:
        return View(
            limit=self.nodes,
            focus=(self.focus,) if self.focus else (),
            depth=self.depth,
            expand=self.expand,
            also=also,
            where=self.where,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityListQuery:
    q: str = ""
    type: str = ""
    order: str = "degree"
    after: str = ""
    given: dict[str, str] = field(default_factory=dict)


def parse_graph(query: QueryDict) -> GraphQuery:
    """Raises `InvalidArgument` naming the field; `WrongIdPrefix` for another kind's id."""
    given = {
        name: clean(query.get(name, ""), field=name, limit=2_000, lines=False) for name in NAMES
    }
    given = {name: value for name, value in given.items() if value}
    expand = tuple(dict.fromkeys(one for one in given.get("expand", "").split(",") if one))
    if len(expand) > EXPAND_LIMIT:
        raise InvalidArgument(
            f"expand has {len(expand)} entities; at most {EXPAND_LIMIT} are expanded at once.",
            hint="Start from another entity, or look further than one step.",
            field="expand",
        )
    for one in (*expand, given.get("focus", ""), given.get("select", "")):
        if one and not is_id("ent", one):
            raise WrongIdPrefix(f"{one[:60]!r} is not the id of an entity.", hint="Search for it.")
    author = given.get("author", "")
    if author and not (is_id("agent", author) or is_id("user", author)):
        raise InvalidArgument(
            "author must be the id of an agent or a person.", hint="Choose one from the list."
        )
    until = parse_day(query, "until")
    return GraphQuery(
        q=clean(query.get("q", ""), field="q", limit=NAME_LIMIT, lines=False),
        focus=given.get("focus", ""),
        select=given.get("select", ""),
        to=clean(given.get("to", ""), field="to", limit=NAME_LIMIT, lines=False),
        depth=_whole(given, "depth", most=DEPTH_LIMIT, default=1),
        nodes=_whole(given, "nodes", most=NODES_LIMIT, default=NODES),
        expand=expand,
        as_of=parse_moment(query),
        where=Conditions(
            type=clean(given.get("type", ""), field="type", limit=TYPE_LIMIT, lines=False),
            relation=clean(
                given.get("relation", ""), field="relation", limit=RELATION_LIMIT, lines=False
            ),
            author=author,
            since=parse_day(query, "since"),
            until=until + timedelta(days=1) if until else None,
        ),
        given=given,
    )


def parse_entities(query: QueryDict) -> EntityListQuery:
    """Raises `InvalidArgument` naming the field."""
    q = clean(query.get("q", ""), field="q", limit=NAME_LIMIT, lines=False)
    kind = clean(query.get("type", ""), field="type", limit=TYPE_LIMIT, lines=False)
    order = query.get("order", "degree")
    order = order if order in ORDERS else "degree"
    given = {"q": q, "type": kind, "order": "" if order == "degree" else order}
    return EntityListQuery(
        q=q,
        type=kind,
        order=order,
        after=clean(query.get("after", ""), field="after", limit=500, lines=False),
        given={name: value for name, value in given.items() if value},
    )


def _whole(given: dict[str, str], name: str, *, most: int, default: int) -> int:
    text = given.get(name)
    number = int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else text
    return parse_integer(number, field=name, least=1, most=most, default=default)


def parse_moment(query: QueryDict) -> datetime | None:
    """`as_of`, an instant or a day; the end of it where a day is given alone."""
    text = query.get("as_of", "").strip()
    if not text:
        return None
    moment = parse_instant(text, field="as_of")
    return moment + timedelta(days=1) if len(text) <= len("2026-11-30") else moment
