"""A memory test as it is typed, or as a lab run, a receipt or a memory fills it in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from dashboard.forms.asking import given_options, parse_lab
from dashboard.forms.numbers import whole
from memory_app.domain.values import parse_integer
from memory_app.services.memory_tests import OPTIONS, WITHIN_MOST
from memory_app.services.recalling import set_filters


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """`given` are the query's further conditions as they stood in the address."""

    query: str = ""
    memory: str = ""
    never: bool = False
    within: str = "10"
    agent: str = ""
    note: str = ""
    given: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> int:
        """Raises `InvalidArgument`."""
        return parse_integer(
            whole(self.within), field="within", least=1, most=WITHIN_MOST, default=10
        )

    @property
    def options(self) -> dict[str, Any]:
        """The conditions as the read log keeps them. Raises `InvalidArgument`."""
        sent = QueryDict(mutable=True)
        sent.update(self.given)
        query = parse_lab(sent).query
        values: dict[str, Any] = {
            name: getattr(query.filters, name) for name in query.filters.__slots__
        }
        values |= {"min_score": query.min_score, "max_tokens": query.max_tokens}
        values |= {
            "mode": None if query.mode == "hybrid" else query.mode,
            "fusion": None if query.fusion == "weighted" else query.fusion,
            "graph": query.graph,
        }
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in set_filters(values).items()
            if name in OPTIONS
        }


def read_expected(form: QueryDict) -> Expected:
    """From the address or the form; a question's limit is the test's own unless it says another."""
    given = given_options(form)
    return Expected(
        query=given.get("query", ""),
        memory=given.get("memory", ""),
        never=given.get("never", "") == "1",
        within=given.get("within") or given.get("limit") or "10",
        agent=given.get("agent", ""),
        note=given.get("note", ""),
        given={name: value for name, value in given.items() if name in OPTIONS},
    )
