"""The canvas with thousands of entities: what moving, hovering and laying out leave alone."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest

from tests.browser.conftest import Visit
from tests.browser.test_graph import DRAWN, team

# The page's own canvas, drawn a second time over the page with columns that the test makes.
DRAW = """async ([many, names]) => {
  const data = document.getElementById("graph-view").dataset;
  const { draw } = await import(data.canvas);
  const stage = document.createElement("div");
  stage.id = "trial";
  stage.style.cssText = "position:fixed;inset:0;z-index:99;background:white";
  document.body.append(stage);
  const canvas = await draw(stage, data, { choose() {}, expand() {}, place() {} });
  const nodes = Array.from({ length: many }, (_, n) =>
    [`ent_${n}`, names || `Entity ${n}`, 0, n ? 4 : 9e4, 0, 0]);
  const edges = Array.from({ length: many * 3 }, (_, n) => [n % many, (n * 7 + 1) % many, 0, 1]);
  const place = (graph) => nodes.forEach(([id], n) =>
    graph.mergeNodeAttributes(id, { x: (n % 100) * 10, y: Math.floor(n / 100) * 10 }));
  const columns = { nodes, edges, types: ["thing"], relations: ["knows"], hubs: [], path: [] };
  canvas.fill(columns, place, "", new Set());
  const counts = { reduced: 0, edges: 0, nodes: 0, changed: 0, reads: 0, frames: 0 };
  const { renderer } = canvas;
  for (const name of ["nodeReducer", "edgeReducer"]) {
    const reduce = renderer.getSetting(name);
    renderer.setSetting(name, (...given) => (counts.reduced++, reduce(...given)));
  }
  await new Promise((done) => { renderer.once("afterRender", done); renderer.refresh(); });
  for (const name of ["edges", "nodes"]) {
    const gl = renderer.webGLContexts[name];
    for (const call of ["drawArrays", "drawArraysInstanced"]) {
      const drawn = gl[call].bind(gl);
      gl[call] = (...given) => (counts[name]++, drawn(...given));
    }
  }
  const { nodes: gl } = renderer.webGLContexts;
  const read = gl.readPixels.bind(gl);
  gl.readPixels = (...given) => (counts.reads++, read(...given));
  canvas.graph.on("nodeAttributesUpdated", () => counts.changed++);
  canvas.graph.on("eachNodeAttributesUpdated", () => counts.changed++);
  counts.reduced = 0;
  window.trial = { ...canvas, graph: canvas.graph, renderer, counts, hovered: "" };
  renderer.on("enterNode", ({ node }) => { stage.dataset.hovered = node; });
  renderer.on("afterRender", () => { counts.frames++; stage.dataset.drawn = String(counts.edges); });
}"""
SPOT = """(id) => {
  const { graph, renderer } = window.trial;
  return renderer.graphToViewport(graph.getNodeAttributes(id));
}"""

# Where names were written in a frame: left, right and the line's foot of each.
WRITTEN = """async () => {
  const { renderer } = window.trial;
  const context = renderer.canvasContexts.labels;
  const found = [];
  const write = context.fillText.bind(context);
  context.fillText = (text, x, y) => {
    found.push([x, x + context.measureText(text).width, y]);
    write(text, x, y);
  };
  await new Promise((done) => { renderer.once("afterRender", done); renderer.refresh(); });
  return found;
}"""


@pytest.fixture
def canvas(visit: Callable[..., Visit]) -> Callable[..., Any]:
    """A page with a picture of so many entities over it, all with one name where it is given."""

    def start(many: int, *, name: str = "", size: str = "wide") -> Any:
        here = visit(size, world=team())
        here.open("graph/")
        here.page.wait_for_selector(DRAWN)
        here.page.evaluate(DRAW, [many, name])
        return here.page

    return start


def test_pointing_at_an_entity_changes_no_other(canvas: Callable[..., Any]) -> None:
    page = canvas(2_000)
    spot = page.evaluate(SPOT, "ent_1050")

    page.mouse.move(spot["x"], spot["y"])
    page.wait_for_selector("#trial[data-hovered=ent_1050]")

    counts = page.evaluate("window.trial.counts")
    assert (counts["reduced"], counts["changed"]) == (0, 0)


def test_a_large_picture_moves_without_its_edges_and_shows_them_when_it_rests(
    canvas: Callable[..., Any],
) -> None:
    page = canvas(2_000)

    moving = dragged(page)
    page.mouse.up()
    page.wait_for_selector("#trial:not([data-drawn='0'])")

    assert (moving["edges"], moving["reads"]) == (0, 0)
    assert page.evaluate("window.trial.counts.edges") > 0


@pytest.mark.parametrize("many", [200, 5_000])
def test_a_frame_of_a_moving_picture_is_one_call_to_draw_all_entities(
    canvas: Callable[..., Any], many: int
) -> None:
    """Nothing is worked out anew, no entity has a call of its own, and what tells what lies under the
    pointer waits until the picture rests."""
    page = canvas(many)

    moving = dragged(page)
    page.mouse.up()
    until(page, "window.trial.counts.nodes > window.trial.counts.frames")

    assert moving["frames"] > 0
    assert moving["nodes"] == moving["frames"]
    assert moving["reduced"] == 0
    assert page.evaluate("window.trial.counts.reduced") == 0


def test_an_entity_is_pointed_at_after_the_picture_was_moved(canvas: Callable[..., Any]) -> None:
    page = canvas(2_000)
    dragged(page)
    page.wait_for_timeout(300)  # held still, so that it does not glide on
    page.mouse.up()
    page.wait_for_selector("#trial:not([data-drawn='0'])")
    spot = page.evaluate(SPOT, "ent_1050")

    page.mouse.move(spot["x"], spot["y"])

    page.wait_for_selector("#trial[data-hovered=ent_1050]")


def test_empty_layers_leave_while_a_large_picture_moves(canvas: Callable[..., Any]) -> None:
    page = canvas(2_000)
    shown = "#trial canvas:visible"

    dragged(page)
    moving = page.locator(shown).count()
    page.mouse.up()
    page.wait_for_selector("#trial:not([data-drawn='0'])")

    assert moving == 2  # the entities, and the one that hears the pointer
    assert page.locator(shown).count() == 7


def test_places_of_the_layout_change_no_entitys_looks(canvas: Callable[..., Any]) -> None:
    page = canvas(2_000)
    before = page.evaluate(SPOT, "ent_1050")

    page.evaluate(
        """() => {
          const { graph, place } = window.trial;
          place(graph.mapNodes((_, { x, y }) => [y, x]).flat());
        }"""
    )
    until(page, "window.trial.counts.frames > 0")

    counts = page.evaluate("window.trial.counts")
    assert (counts["reduced"], counts["changed"]) == (0, 0)
    assert page.evaluate(SPOT, "ent_1050") != before


def test_a_small_picture_keeps_its_edges_while_it_moves(canvas: Callable[..., Any]) -> None:
    page = canvas(200)

    moving = dragged(page)
    page.mouse.up()

    assert moving["edges"] >= moving["frames"] > 0


def until(page: Any, true: str) -> None:
    """Asked from here: what a page evaluates by itself while it waits, its policy forbids."""
    deadline = monotonic() + 15
    while not page.evaluate(true):
        assert monotonic() < deadline, f"never: {true}"
        page.wait_for_timeout(50)


def dragged(page: Any) -> dict[str, int]:
    """Take hold of an empty spot and move; what was drawn meanwhile. It is still held afterwards."""
    page.mouse.move(20, 20)
    page.mouse.down()
    page.mouse.move(30, 30, steps=2)
    page.wait_for_timeout(100)
    page.evaluate(
        "Object.keys(window.trial.counts).forEach((name) => (window.trial.counts[name] = 0))"
    )
    page.mouse.move(120, 90, steps=12)
    until(page, "window.trial.counts.frames > 0")
    return dict(page.evaluate("({ ...window.trial.counts })"))


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_no_name_is_cut_by_the_side_of_the_picture(canvas: Callable[..., Any], size: str) -> None:
    page = canvas(300, name="The international procurement office of Helsinki", size=size)

    written = page.evaluate(WRITTEN)

    width = page.viewport_size["width"]
    assert written
    assert all(left >= 0 and right <= width for left, right, _ in written), written


def test_a_name_stands_beside_other_entities_where_there_is_room(
    canvas: Callable[..., Any],
) -> None:
    """In a row of entities closer together than their names are long: below and above it."""
    page = canvas(12, name="The international procurement office")

    written = page.evaluate(WRITTEN)
    spots = [page.evaluate(SPOT, f"ent_{number}") for number in range(12)]

    covered = [
        (name, spot)
        for name in written
        for spot in spots
        if name[0] < spot["x"] < name[1] and name[2] - 12 < spot["y"] < name[2] + 4
    ]
    assert len(written) > 4
    assert covered == []


def test_zooming_is_at_once_where_less_motion_is_wanted(canvas: Callable[..., Any]) -> None:
    page = canvas(12)

    ratio = page.evaluate(
        """() => {
          window.trial.zoom("in");
          return window.trial.renderer.getCamera().ratio;
        }"""
    )

    assert ratio == pytest.approx(1 / 1.5)


def test_the_layout_runs_in_a_worker_and_its_places_are_kept(visit: Callable[..., Visit]) -> None:
    """D11"""
    here = visit(world=team())
    here.open("graph/")
    here.page.wait_for_selector(DRAWN)
    key = f"graph:{here.world.bank.id}"
    first = here.page.evaluate("(key) => localStorage.getItem(key)", key)
    workers = [worker.url for worker in here.page.workers]

    here.page.reload()
    here.page.wait_for_selector(DRAWN)

    assert any("graph-layout" in url for url in workers)
    assert first is not None
    assert here.page.evaluate("(key) => localStorage.getItem(key)", key) == first


def test_a_picture_that_cannot_be_loaded_says_so_and_leaves_the_list(
    visit: Callable[..., Visit],
) -> None:
    here = visit(world=team())
    here.page.route("**/graph/data*", lambda route: route.abort())

    here.open("graph/")
    here.page.get_by_text("The picture could not be loaded.").wait_for()

    assert here.page.get_by_role("link", name="Atlas").first.is_visible()
