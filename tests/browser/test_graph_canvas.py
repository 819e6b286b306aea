"""The canvas with thousands of entities: what moving, hovering and laying out leave alone."""

from __future__ import annotations

from collections.abc import Callable
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
  const counts = { reduced: 0, edges: 0, changed: 0, reads: 0 };
  const { renderer } = canvas;
  for (const name of ["nodeReducer", "edgeReducer"]) {
    const reduce = renderer.getSetting(name);
    renderer.setSetting(name, (...given) => (counts.reduced++, reduce(...given)));
  }
  await new Promise((done) => { renderer.once("afterRender", done); renderer.refresh(); });
  for (const program of Object.values(renderer.edgePrograms)) {
    const render = program.render.bind(program);
    program.render = (...given) => (counts.edges++, render(...given));
  }
  const { nodes: gl } = renderer.webGLContexts;
  const read = gl.readPixels.bind(gl);
  gl.readPixels = (...given) => (counts.reads++, read(...given));
  canvas.graph.on("nodeAttributesUpdated", () => counts.changed++);
  canvas.graph.on("eachNodeAttributesUpdated", () => counts.changed++);
  counts.reduced = 0;
  window.trial = { ...canvas, graph: canvas.graph, renderer, counts, hovered: "" };
  renderer.on("enterNode", ({ node }) => { stage.dataset.hovered = node; });
  renderer.on("afterRender", () => { stage.dataset.drawn = String(counts.edges); });
}"""
SPOT = """(id) => {
  const { graph, renderer } = window.trial;
  return renderer.graphToViewport(graph.getNodeAttributes(id));
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
    page.evaluate("window.trial.counts.edges = 0")

    page.mouse.move(20, 20)
    page.mouse.down()
    page.mouse.move(30, 30, steps=2)
    page.evaluate("window.trial.counts.reads = 0")
    page.mouse.move(120, 90, steps=12)
    page.wait_for_selector("#trial[data-drawn='0']")
    moving = page.evaluate("window.trial.counts")
    page.mouse.up()
    page.wait_for_selector("#trial:not([data-drawn='0'])")

    assert (moving["edges"], moving["reads"]) == (0, 0)
    assert page.evaluate("window.trial.counts.edges") > 0


def test_a_small_picture_keeps_its_edges_while_it_moves(canvas: Callable[..., Any]) -> None:
    page = canvas(200)

    settings = page.evaluate(
        "['hideEdgesOnMove', 'hideLabelsOnMove'].map((name) => window.trial.renderer.getSetting(name))"
    )

    assert settings == [False, False]


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_no_name_is_cut_by_the_side_of_the_picture(canvas: Callable[..., Any], size: str) -> None:
    page = canvas(300, name="The international procurement office of Helsinki", size=size)

    written = page.evaluate(
        """async () => {
          const { renderer } = window.trial;
          const context = renderer.canvasContexts.labels;
          const found = [];
          const write = context.fillText.bind(context);
          context.fillText = (text, x, y) => {
            found.push([x, x + context.measureText(text).width]);
            write(text, x, y);
          };
          await new Promise((done) => { renderer.once("afterRender", done); renderer.refresh(); });
          return found;
        }"""
    )

    width = page.viewport_size["width"]
    assert written
    assert all(left >= 0 and right <= width for left, right in written), written


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
