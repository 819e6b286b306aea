"""Every handed case that these doors reach, over REST and over MCP. Skipped where the file isn't."""

from __future__ import annotations

import pytest

from tests.cases import (
    replays_doors,
    replays_exports,
    replays_graph,
    replays_imports,
    replays_integrity,
    replays_lists,
    replays_meaning,
    replays_text,
)
from tests.cases.desk import desk_door
from tests.cases.handed import Handed, handed_cases
from tests.cases.stage import Replay, close, set_up
from tests.factories import make_world

REPLAYS: dict[int, Replay] = (
    replays_meaning.REPLAYS
    | replays_text.REPLAYS
    | replays_lists.REPLAYS
    | replays_imports.REPLAYS
    | replays_exports.REPLAYS
)
# A case may be replayed twice: as statements, and as entities, facts, notes and observations.
BOTH = [
    *REPLAYS.items(),
    *replays_graph.REPLAYS.items(),
    *replays_integrity.REPLAYS.items(),
    *replays_doors.REPLAYS.items(),
]
CASES = handed_cases()
# Families whose every case is reachable; the others wait for their toolsets.
WHOLE_FAMILIES = (
    "A.",
    "B.",
    "C.",
    "D.",
    "E.",
    "F.",
    "G.",
    "H.",
    "I.",
    "J.",
    "M.",
    "N.",
    "R.",
    "S.",
    "T.",
    "W.",
)

pytestmark = pytest.mark.skipif(not CASES, reason="The handed cases are not here.")


@pytest.mark.usefixtures("embedder")
@pytest.mark.parametrize("door", ["rest", "mcp"])
@pytest.mark.parametrize(
    ("number", "replay"), [pytest.param(*one, id=f"{one[0]}-{one[1].__name__}") for one in BOTH]
)
def test_case_passes(number: int, replay: Replay, door: str) -> None:
    case: Handed = CASES[number]
    stage = set_up(case, make_world(tier="full"), make_world(tier="full"), over_mcp=door == "mcp")

    replay(stage)

    close(stage)


@pytest.mark.usefixtures("embedder")
@pytest.mark.parametrize("number", sorted(replays_imports.REPLAYS))
def test_case_passes_on_the_import_screen(number: int) -> None:
    case: Handed = CASES[number]
    world = make_world(tier="full")
    stage = set_up(case, world, make_world(tier="full"), over_mcp=False)
    stage.rest = stage.door = desk_door(world)

    replays_imports.REPLAYS[number](stage)

    close(stage)


def test_every_case_of_the_families_in_reach_has_a_replay() -> None:
    wanted = {number for number, case in CASES.items() if case.family.startswith(WHOLE_FAMILIES)}

    assert wanted <= {number for number, _ in BOTH}
