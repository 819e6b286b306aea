"""Every handed case that these doors reach, over REST and over MCP. Skipped where the file isn't."""

from __future__ import annotations

import pytest

from tests.cases import replays_imports, replays_lists, replays_meaning, replays_text
from tests.cases.handed import Handed, handed_cases
from tests.cases.stage import Replay, close, set_up
from tests.factories import make_world

REPLAYS: dict[int, Replay] = (
    replays_meaning.REPLAYS | replays_text.REPLAYS | replays_lists.REPLAYS | replays_imports.REPLAYS
)
CASES = handed_cases()
# Families whose every case is reachable; the others wait for their toolsets.
WHOLE_FAMILIES = ("A.", "B.", "C.", "D.", "G.", "H.", "I.", "J.", "M.", "N.", "S.", "W.")

pytestmark = pytest.mark.skipif(not CASES, reason="The handed cases are not here.")


@pytest.mark.usefixtures("embedder")
@pytest.mark.parametrize("door", ["rest", "mcp"])
@pytest.mark.parametrize("number", sorted(REPLAYS))
def test_case_passes(number: int, door: str) -> None:
    case: Handed = CASES[number]
    stage = set_up(case, make_world(tier="full"), make_world(tier="full"), over_mcp=door == "mcp")

    REPLAYS[number](stage)

    close(stage)


def test_every_case_of_the_families_in_reach_has_a_replay() -> None:
    wanted = {number for number, case in CASES.items() if case.family.startswith(WHOLE_FAMILIES)}

    assert wanted <= set(REPLAYS)
