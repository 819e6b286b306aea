"""Memory tests: what must, or must never, be recalled."""

from __future__ import annotations

from typing import Any

from memory_app.rest.lab_replies import run_reply, test_reply
from memory_app.rest.operations import Body, Call, Endpoint, operation
from memory_app.rest.serializers.lab import (
    TallyOut,
    TestChangesIn,
    TestIn,
    TestListIn,
    TestOut,
    TestPageOut,
    TestStoryOut,
)
from memory_app.services import memory_tests, recalling, test_runs
from memory_app.services.idempotency import Reply

GROUP = "memory tests"
_VALUES = ("query", "memory", "must_appear", "within", "agent", "note")


class MemoryTests(Endpoint):
    @operation(
        "list_memory_tests",
        "Tests of recall, newest first",
        query=TestListIn,
        answer=TestPageOut,
        group=GROUP,
    )
    def get(self, call: Call, bank: str) -> Body:
        def rows(filters: dict[str, Any], after: str | None, limit: int) -> Any:
            page = memory_tests.list_page(call.actor, bank, after=after, limit=limit, **filters)
            return [test_reply(test) for test in page.tests], page.next_after

        return call.page("tests", rows, of=f"memory tests {bank}")

    @operation(
        "create_memory_test",
        "Expect a memory in, or out of, an answer; it runs at once",
        body=TestIn,
        answers={201: TestOut},
        group=GROUP,
    )
    def post(self, call: Call, bank: str) -> Reply:
        given = dict(call.given)
        values = {name: given.pop(name) for name in _VALUES if name in given}
        options = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in recalling.set_filters(given).items()
        }
        test = memory_tests.create(call.actor, bank, options=options, **values)
        ran = test_runs.run_one(call.actor, bank, test.id)
        return Reply(status=201, body=test_reply(ran))


class OneMemoryTest(Endpoint):
    @operation("get_memory_test", "A test with its newest runs", answer=TestStoryOut, group=GROUP)
    def get(self, call: Call, bank: str, test: str) -> Body:
        story = memory_tests.story(call.actor, bank, test)
        return test_reply(story.test) | {"runs": [run_reply(row) for row in story.runs]}

    @operation("edit_memory_test", "Change a test", body=TestChangesIn, answer=TestOut, group=GROUP)
    def patch(self, call: Call, bank: str, test: str) -> Body:
        return test_reply(memory_tests.change(call.actor, bank, test, call.given))

    @operation("delete_memory_test", "Take a test out of the list", answer=TestOut, group=GROUP)
    def delete(self, call: Call, bank: str, test: str) -> Body:
        return test_reply(memory_tests.delete(call.actor, bank, test))


class RestoreMemoryTest(Endpoint):
    @operation("restore_memory_test", "Take a deletion back", answer=TestOut, group=GROUP)
    def post(self, call: Call, bank: str, test: str) -> Body:
        return test_reply(memory_tests.restore(call.actor, bank, test))


class RunMemoryTest(Endpoint):
    @operation("run_memory_test", "Run a test now", answer=TestOut, group=GROUP)
    def post(self, call: Call, bank: str, test: str) -> Body:
        return test_reply(test_runs.run_one(call.actor, bank, test))


class RunMemoryTests(Endpoint):
    @operation("run_memory_tests", "Run every test of the bank now", answer=TallyOut, group=GROUP)
    def post(self, call: Call, bank: str) -> Body:
        tally = test_runs.run_all(call.actor, bank)
        return {"green": tally.green, "red": tally.red, "turned_red": tally.turned_red}
