"""The recall lab's question as it stands in the address: every option of REST's recall, by the same rules."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.http import QueryDict

from memory_app.recall.values import Query
from memory_app.rest.asking import query_of
from memory_app.rest.parsing import parse_query
from memory_app.rest.serializers.lab import LabIn

# A list is typed with commas, except that tags are read so by REST itself.
_LISTS = ("authors", "not_authors", "about")
_OWN = ("run", "format", "tool")
TOOLS = {"search_memory": "essential", "query_memory": "facts"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabQuery:
    """`given` are the options as typed, for the form, the links and the copied calls."""

    query: Query
    given: dict[str, str] = field(default_factory=dict)
    agent: str = ""
    why: str = ""
    tool: str = ""
    asked: bool = False
    wants_json: bool = False


def given_options(sent: QueryDict) -> dict[str, str]:
    """What was typed, by name; empty fields say nothing."""
    found = {name: sent.get(name, "").strip() for name in sent}
    return {name: value for name, value in found.items() if value}


def parse_lab(sent: QueryDict) -> LabQuery:
    """Raises `InvalidArgument` that names the field."""
    given = given_options(sent)
    options = QueryDict(mutable=True)
    for name, value in given.items():
        if name in _OWN:
            continue
        if name in _LISTS:
            options.setlist(name, [part.strip() for part in value.split(",") if part.strip()])
        else:
            options[name] = value
    asked = parse_query(LabIn, options)
    tool = given.get("tool", "")
    return LabQuery(
        query=query_of(asked, text=asked.get("query")),
        given={name: value for name, value in given.items() if name not in ("run", "format")},
        agent=asked.get("agent", ""),
        why=asked.get("why", ""),
        tool=tool if tool in TOOLS else "",
        asked=bool(given),
        wants_json=given.get("format") == "json",
    )
