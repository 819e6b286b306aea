// The picture: sigma over graphology, in the colours of the theme. Knows nothing of addresses.
// From so many entities on, edges and names are left off while the picture moves.
const LARGE = 1500;
const FEW = 40; // entities, of which each is named where there is room
const STEP = 1.5; // how much nearer one step of zooming comes
const ROOM = 540; // pixels from which on entities are drawn at their full size
// What is drawn for the entity that is pointed at or chosen.
const POINTED = ["hovers", "hoverNodes"];

export async function draw(stage, modules, on) {
  const parts = ["sigma", "labels", "looks", "shapes"].map((name) => import(modules[name]));
  const [kit, { write, hover, relation, begin, forget }, { theme, node, edge }, { shapes }] = await Promise.all(parts);
  const { Graph, Sigma } = kit;
  const empty = () => new Graph({ type: "directed", allowSelfLoops: true });
  let graph = empty();
  let labels = [];
  const state = { chosen: "", near: new Set(), path: new Set(), pins: new Set() };
  let colours = theme();
  let large = false;
  let dragged = null;
  const moving = () => {
    const { isMoving, draggedEvents, currentWheelDirection } = renderer.getMouseCaptor();
    const held = isMoving || draggedEvents > 0 || currentWheelDirection !== 0 || dragged?.moved;
    return held || renderer.getTouchCaptor().isMoving || renderer.getCamera().isAnimated();
  };
  const renderer = new Sigma(graph, stage, {
    ...shapes(kit, { moving, bare: () => large }),
    allowInvalidContainer: true,
    labelFont: "Inter, sans-serif",
    labelSize: 12,
    labelWeight: "500",
    edgeLabelFont: "Inter, sans-serif",
    edgeLabelSize: 10,
    labelRenderedSizeThreshold: 4,
    labelDensity: 0.8,
    minCameraRatio: 0.03,
    maxCameraRatio: 5,
    zIndex: true,
    // A small picture is drawn with smaller entities, so that they don't lie on one heap.
    zoomToSizeRatioFunction: (ratio) => Math.sqrt(ratio) * Math.max(1, Math.sqrt(ROOM / Math.min(stage.clientWidth, stage.clientHeight || 1))),
    renderEdgeLabels: true,
    stagePadding: 36,
    edgeLabelColor: { attribute: "ink" },
    // Gathered while a frame is drawn, and written when it is: those that would cover another are left out.
    defaultDrawNodeLabel: (context, data) => labels.push(data),
    defaultDrawNodeHover: (context, data, settings) => hover(context, data, settings, colours),
    nodeReducer: (id, data) => node(id, data, state, colours),
    edgeReducer: (id, data) => edge(graph, id, data, state, colours),
  });

  const straight = renderer.getSetting("defaultDrawEdgeLabel");
  renderer.setSetting("defaultDrawEdgeLabel", (...given) => relation(renderer, straight, ...given));

  // What lies under the pointer is read back from the graphics card, which has to finish its frame for
  // it: not while the picture is being drawn along.
  const pick = renderer.getNodeAtPosition.bind(renderer);
  renderer.getNodeAtPosition = (point) => {
    const { isMouseDown, draggedEvents } = renderer.getMouseCaptor();
    return isMouseDown && draggedEvents > 0 ? null : pick(point);
  };
  // A layer costs as much to show when it is empty: those that nothing is drawn on leave while it moves.
  const layers = Object.entries(renderer.getCanvases());
  renderer.on("beforeRender", () => {
    labels = [];
    begin();
    const leaving = large ? ["edges", "edgeLabels", "labels", ...POINTED] : state.chosen ? [] : POINTED;
    const left = moving() ? leaving : [];
    for (const [name, { style }] of layers) style.display = left.includes(name) ? "none" : "";
    if (moving() && !awaited) awaited = requestAnimationFrame(rest);
  });
  // What was left out is drawn once it rests: the last step of a movement may change nothing, and then
  // sigma draws no more.
  let awaited = 0;
  const rest = () => {
    awaited = moving() ? requestAnimationFrame(rest) : 0;
    if (!awaited) renderer.scheduleRender();
  };
  renderer.on("afterRender", () => write(renderer, labels, colours));

  renderer.on("clickNode", ({ node: id }) => on.choose(id));
  renderer.on("doubleClickNode", (event) => {
    event.preventSigmaDefault();
    on.expand(event.node);
  });
  renderer.on("clickStage", () => on.choose(""));
  renderer.on("downNode", ({ node: id }) => {
    dragged = { id, moved: false };
    if (!renderer.getCustomBBox()) renderer.setCustomBBox(renderer.getBBox());
  });
  renderer.getMouseCaptor().on("mousemovebody", (event) => {
    if (!dragged) return;
    dragged.moved = true;
    const { x, y } = renderer.viewportToGraph(event);
    graph.mergeNodeAttributes(dragged.id, { x, y });
    event.preventSigmaDefault();
    event.original.preventDefault();
    event.original.stopPropagation();
  });
  renderer.getMouseCaptor().on("mouseup", () => {
    if (dragged?.moved) on.place(dragged.id);
    dragged = null;
  });

  const repaint = () => {
    colours = theme();
    renderer.refresh({ skipIndexation: true });
  };
  new MutationObserver(repaint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);

  const camera = renderer.getCamera();
  // At once where less motion is wanted: sigma can't divide by a duration of nothing.
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const glide = (to) => (calm.matches ? camera.setState(to) : void camera.animate(to, { duration: 250 }));
  const choose = (id, pins) => {
    state.chosen = graph.hasNode(id) ? id : "";
    state.near = new Set(state.chosen ? graph.neighbors(state.chosen) : []);
    state.pins = new Set(pins);
    return `${state.chosen} ${[...pins]}`;
  };
  let shown = "";
  return {
    get graph() {
      return graph;
    },
    get chosen() {
      return state.chosen;
    },
    renderer,
    // Built and placed apart from the renderer, which so hears of it once; returns what `place` does.
    fill(columns, place, id, pins) {
      large = columns.nodes.length > LARGE;
      renderer.setSetting("hideLabelsOnMove", large);
      renderer.setSetting("renderEdgeLabels", !large);
      graph = empty();
      fill(graph, columns, state, large ? "line" : "arrow");
      const placed = place(graph);
      forget();
      shown = choose(id, pins);
      renderer.setGraph(graph);
      return placed;
    },
    // Without a word to those who listen to the graph: sigma would work out every entity's looks anew,
    // and they stay.
    place(positions) {
      let at = 0;
      graph.forEachNode((_, node) => {
        node.x = positions[at++];
        node.y = positions[at++];
      });
      renderer.refresh({ partialGraph: {}, schedule: true });
    },
    select(id, pins) {
      const before = shown;
      shown = choose(id, pins);
      if (shown !== before) renderer.refresh({ skipIndexation: true, schedule: true });
    },
    zoom(how) {
      if (how === "in") glide({ ratio: camera.ratio / STEP });
      else if (how === "out") glide({ ratio: camera.ratio * STEP });
      else {
        renderer.setCustomBBox(null);
        renderer.refresh();
        glide({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
      }
    },
    move(x, y) {
      const step = 0.12 * camera.ratio;
      camera.setState({ x: camera.x + x * step, y: camera.y + y * step });
    },
  };
}

function fill(graph, columns, state, shape) {
  const most = Math.max(1, ...columns.nodes.slice(0, 50).map((one) => one[3]));
  const hubs = new Set(columns.hubs);
  const [least, range] = columns.nodes.length > LARGE ? [1.6, 8] : columns.nodes.length > 150 ? [2.2, 7.5] : [3, 11];
  columns.nodes.forEach(([id, label, type, degree, colour, part], index) => {
    graph.addNode(id, {
      label, kind: columns.types[type], colour, part, hub: hubs.has(index), named: hubs.has(index) || columns.nodes.length < FEW, x: 0, y: 0,
      size: least + range * Math.sqrt(degree / most),
    });
  });
  // Several relations between two entities are one arrow that bears all their names.
  for (const [source, target, relation, weight] of columns.edges) {
    const ends = [columns.nodes[source][0], columns.nodes[target][0]];
    const name = columns.relations[relation];
    const known = graph.hasDirectedEdge(...ends) && graph.directedEdge(...ends);
    if (known) graph.updateEdgeAttributes(known, (edge) => ({ ...edge, relation: `${edge.relation}, ${name}` }));
    else graph.addDirectedEdge(...ends, { relation: name, weight: Math.max(0.1, Math.min(weight, 10)), type: shape });
  }
  state.path = new Set(columns.path.map((index) => columns.nodes[index][0]));
}
