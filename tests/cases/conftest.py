from __future__ import annotations

import pytest

pytest.register_assert_rewrite(
    "tests.cases.desk",
    "tests.cases.doors",
    "tests.cases.graph_door",
    "tests.cases.stage",
    "tests.cases.replays_doors",
    "tests.cases.replays_graph",
    "tests.cases.replays_integrity",
    "tests.cases.replays_exports",
    "tests.cases.replays_imports",
    "tests.cases.replays_lists",
    "tests.cases.replays_meaning",
    "tests.cases.replays_text",
)

# Cases about many rows: what the texts mean plays no part in them.
MANY_ROWS = (72, 128, 132, 134)


@pytest.fixture
def embedder(request: pytest.FixtureRequest, number: int) -> None:
    """The real default embedder, except where only the number of rows matters."""
    if number not in MANY_ROWS:
        request.getfixturevalue("minilm")
