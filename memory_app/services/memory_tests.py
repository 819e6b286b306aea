"""Memory tests: what must, or must never, be recalled; made, changed, deleted by people.

Running them is `services.test_runs`. Each change is an entry of the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from accounts.actor import Actor
from accounts.queries.agents import find_agent
from accounts.tenancy import acting_as
from memory_app.domain.errors import Conflict, InvalidArgument
from memory_app.domain.text import QUERY_LIMIT, clean
from memory_app.domain.values import parse_integer
from memory_app.models import MemoryTest, MemoryTestRun
from memory_app.queries import expectations
from memory_app.queries.access import resolve
from memory_app.queries.expectations import TestPage
from memory_app.queries.memories import find
from memory_app.services import ledger

TESTS_LIMIT = 200
WITHIN_MOST = 50
NOTE_LIMIT = 300
# What a test keeps of a query besides its text; a test asks for `within` memories itself.
OPTIONS = (
    "mode",
    "fusion",
    "graph",
    "tags",
    "category",
    "collection",
    "authors",
    "not_authors",
    "source",
    "created_from",
    "created_to",
    "observed_from",
    "observed_to",
    "pinned",
    "about",
    "include_retired",
    "min_score",
    "max_tokens",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestStory:
    """A test and its newest runs."""

    test: MemoryTest
    runs: tuple[MemoryTestRun, ...]


def create(
    actor: Actor,
    bank: str | None,
    *,
    query: str,
    memory: str,
    must_appear: bool = True,
    within: int = 10,
    agent: str = "",
    note: str = "",
    options: Mapping[str, Any] | None = None,
) -> MemoryTest:
    """A new test, not run yet; the same test once more is the one there is. Needs `full`.

    `options` are conditions of the query as the read log keeps them; what a test can't hold is left
    out. Raises `NotFound`, `InvalidArgument`, and `Conflict` when the bank has 200 tests.
    """
    text = clean(query, field="query", limit=QUERY_LIMIT, least=1)
    place = _place(within)
    said = clean(note, field="note", limit=NOTE_LIMIT, lines=False)
    kept = {name: value for name, value in (options or {}).items() if name in OPTIONS}

    def work(book: ledger.Book) -> MemoryTest:
        access = book.access
        chosen = find(access, memory)
        asked_as = find_agent(actor, agent).id if agent else ""
        tests = expectations.live_tests(access)
        wanted = {
            "query": text,
            "agent": asked_as,
            "must_appear": must_appear,
            "within": place,
            "options": kept,
        }
        known = tests.filter(memory_id=chosen.id, **wanted).first()
        if known is not None:
            return known
        if tests.count() >= TESTS_LIMIT:
            raise Conflict(
                f"This bank has {TESTS_LIMIT} tests, which is the most it can have.",
                hint="Delete tests that no longer say anything.",
                details={"limit": TESTS_LIMIT},
            )
        test = MemoryTest.objects.create(
            organization_id=book.bank.organization_id,
            bank_id=book.bank.id,
            memory_id=chosen.id,
            note=said,
            created_by=actor.id,
            created_at=book.moment,
            **wanted,
        )
        book.append("create_test", test.id, content=_content(test))
        return test

    return _changing(actor, bank, work)


def change(
    actor: Actor, bank: str | None, reference: str, changes: Mapping[str, Any]
) -> MemoryTest:
    """Other values for `query`, `memory`, `must_appear`, `within`, `agent` or `note`. Needs `full`.

    Its status is forgotten, since it says something else now.
    """

    def work(book: ledger.Book) -> MemoryTest:
        test = _live(book, reference)
        before = _content(test)
        if "query" in changes:
            test.query = clean(changes["query"], field="query", limit=QUERY_LIMIT, least=1)
        if "memory" in changes:
            test.memory_id = find(book.access, changes["memory"]).id
        if "must_appear" in changes:
            test.must_appear = bool(changes["must_appear"])
        if "within" in changes:
            test.within = _place(changes["within"])
        if "agent" in changes:
            test.agent = find_agent(actor, changes["agent"]).id if changes["agent"] else ""
        if "note" in changes:
            test.note = clean(changes["note"], field="note", limit=NOTE_LIMIT, lines=False)
        if _content(test) == before:
            return test
        test.status, test.last_watermark, test.last_place = MemoryTest.Status.NEW, 0, None
        test.last_reason, test.status_since = "", None
        test.save()
        book.append("change_test", test.id, content={"before": before, "after": _content(test)})
        return test

    return _changing(actor, bank, work)


def delete(actor: Actor, bank: str | None, reference: str) -> MemoryTest:
    """Take a test out of the list; its runs stay, and it can be restored. Needs `full`."""

    def work(book: ledger.Book) -> MemoryTest:
        test = _live(book, reference)
        test.deleted_at = book.moment
        test.save(update_fields=["deleted_at"])
        book.append("delete_test", test.id)
        return test

    return _changing(actor, bank, work)


def restore(actor: Actor, bank: str | None, reference: str) -> MemoryTest:
    """Take a deletion back. Needs `full`."""

    def work(book: ledger.Book) -> MemoryTest:
        test = expectations.find_test(book.access, reference)
        if test.deleted_at is not None:
            test.deleted_at = None
            test.save(update_fields=["deleted_at"])
            book.append("restore_test", test.id)
        return test

    return _changing(actor, bank, work)


def list_page(
    actor: Actor,
    bank: str | None,
    *,
    status: str = "",
    memory: str = "",
    after: str | None = None,
    limit: int = 50,
) -> TestPage:
    """The bank's tests, newest first. Raises `NotFound` and `InvalidArgument`."""
    with acting_as(actor):
        access = resolve(actor, bank)
        return expectations.list_tests(
            access, status=status, memory=memory, after=after, limit=limit
        )


def story(actor: Actor, bank: str | None, reference: str) -> TestStory:
    """A test with its newest 50 runs. Raises `NotFound`."""
    with acting_as(actor):
        access = resolve(actor, bank)
        test = expectations.find_test(access, reference)
        return TestStory(test=test, runs=tuple(expectations.runs_of(access, test)))


def _live(book: ledger.Book, reference: str) -> MemoryTest:
    test = expectations.find_test(book.access, reference)
    if test.deleted_at is not None:
        raise Conflict("This test is deleted.", hint="Restore it first.")
    return test


def _changing(
    actor: Actor, bank: str | None, work: Callable[[ledger.Book], MemoryTest]
) -> MemoryTest:
    with acting_as(actor):
        access = resolve(actor, bank)
        access.require("full")
        with ledger.opened(access) as book:
            return work(book)


def _place(within: object) -> int:
    if within is None:
        raise InvalidArgument("within is required.", hint="Send a number.", field="within")
    return parse_integer(within, field="within", least=1, most=WITHIN_MOST, default=10)


def _content(test: MemoryTest) -> dict[str, Any]:
    return {
        "query": test.query,
        "memory": test.memory_id,
        "must_appear": test.must_appear,
        "within": test.within,
        "agent": test.agent,
        "options": test.options,
        "note": test.note,
    }
