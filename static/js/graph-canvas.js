// The picture: sigma over graphology, in the colours of the theme. Knows nothing of addresses.
const LIGHT = {
  clusters: ["#3d56b0", "#b45309", "#0f766e", "#a21caf", "#15803d", "#be123c", "#0369a1", "#6d5a00"],
  other: "#7c8494", faint: "#dfe2e8", edge: "#c3c8d2", strong: "#3d56b0", text: "#1d2230", paper: "#ffffff",
};
const DARK = {
  clusters: ["#9db2ff", "#f5b26b", "#5fd4c4", "#e58af0", "#7fd996", "#ff8fa3", "#6cc4f5", "#d9c65a"],
  other: "#8a93a5", faint: "#2b303b", edge: "#454c5a", strong: "#9db2ff", text: "#e8eaf0", paper: "#1b1e26",
};

// From so many entities on, edges and names are left off while the picture moves.
const LARGE = 1500;

export async function draw(stage, modules, on) {
  const [{ Graph, Sigma }, { write, hover, forget }] = await Promise.all([import(modules.sigma), import(modules.labels)]);
  const empty = () => new Graph({ type: "directed", allowSelfLoops: true });
  let graph = empty();
  let labels = [];
  const state = { chosen: "", near: new Set(), path: new Set(), pins: new Set() };
  let colours = theme();
  const renderer = new Sigma(graph, stage, {
    allowInvalidContainer: true,
    labelFont: "Inter, sans-serif",
    labelSize: 12,
    labelWeight: "500",
    edgeLabelFont: "Inter, sans-serif",
    edgeLabelSize: 10,
    labelRenderedSizeThreshold: 5,
    labelDensity: 0.8,
    minCameraRatio: 0.03,
    maxCameraRatio: 5,
    zIndex: true,
    renderEdgeLabels: true,
    stagePadding: 36,
    edgeLabelColor: { attribute: "ink" },
    // Gathered while a frame is drawn, and written when it is: those that would cover another are left out.
    defaultDrawNodeLabel: (context, data) => labels.push(data),
    defaultDrawNodeHover: (context, data, settings) => hover(context, data, settings, colours),
    nodeReducer: (id, data) => node(id, data, state, colours),
    edgeReducer: (id, data) => edge(graph, id, data, state, colours),
  });

  // What lies under the pointer is read back from the graphics card, which has to finish its frame for
  // it: not while the picture is being drawn along.
  const pick = renderer.getNodeAtPosition.bind(renderer);
  renderer.getNodeAtPosition = (point) => {
    const { isMouseDown, draggedEvents } = renderer.getMouseCaptor();
    return isMouseDown && draggedEvents > 0 ? null : pick(point);
  };
  renderer.on("beforeRender", () => (labels = []));
  renderer.on("afterRender", () => write(renderer, labels, colours));

  let dragged = null;
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
  const duration = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 250;
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
      const large = columns.nodes.length > LARGE;
      for (const name of ["hideEdgesOnMove", "hideLabelsOnMove"]) renderer.setSetting(name, large);
      renderer.setSetting("renderEdgeLabels", !large);
      graph = empty();
      fill(graph, columns, state, large ? "line" : "arrow");
      const placed = place(graph);
      forget();
      shown = choose(id, pins);
      renderer.setGraph(graph);
      return placed;
    },
    select(id, pins) {
      const before = shown;
      shown = choose(id, pins);
      if (shown !== before) renderer.refresh({ skipIndexation: true, schedule: true });
    },
    zoom(how) {
      if (how === "in") camera.animatedZoom({ duration });
      else if (how === "out") camera.animatedUnzoom({ duration });
      else {
        renderer.setCustomBBox(null);
        renderer.refresh();
        camera.animatedReset({ duration });
      }
    },
    move(x, y) {
      const step = 0.12 * camera.ratio;
      camera.setState({ x: camera.x + x * step, y: camera.y + y * step });
    },
  };
}

function theme() {
  const scheme = getComputedStyle(document.body).colorScheme;
  const dark = scheme === "dark" || (scheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  return dark ? DARK : LIGHT;
}

function fill(graph, columns, state, shape) {
  const most = Math.max(1, ...columns.nodes.slice(0, 50).map((one) => one[3]));
  const hubs = new Set(columns.hubs);
  const [least, range] = columns.nodes.length > LARGE ? [1.6, 8] : columns.nodes.length > 150 ? [2.4, 9] : [3, 11];
  columns.nodes.forEach(([id, label, type, degree, colour, part], index) => {
    graph.addNode(id, {
      label, kind: columns.types[type], colour, part, hub: hubs.has(index), x: 0, y: 0,
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

function node(id, data, state, colours) {
  const lit = id === state.chosen || (state.path.size ? state.path : state.near).has(id);
  const quiet = (state.chosen || state.path.size) && !lit;
  const colour = quiet ? colours.faint : (colours.clusters[data.colour] ?? colours.other);
  return {
    ...data,
    color: colour,
    ink: colours.text,
    label: quiet ? "" : state.pins.has(id) ? `${data.label} (pinned)` : data.label,
    forceLabel: !quiet && (data.hub || id === state.chosen || state.path.has(id)),
    highlighted: id === state.chosen,
    zIndex: quiet ? 0 : id === state.chosen ? 3 : lit ? 2 : 1,
  };
}

function edge(graph, id, data, state, colours) {
  const [source, target] = graph.extremities(id);
  const onPath = state.path.has(source) && state.path.has(target);
  const lit = onPath || (!state.path.size && (source === state.chosen || target === state.chosen));
  const quiet = (state.chosen || state.path.size) && !lit;
  return {
    ...data,
    ink: colours.text,
    color: onPath || lit ? colours.strong : quiet ? colours.faint : colours.edge,
    size: lit ? 2 : Math.min(2, 0.8 + data.weight * 0.2),
    label: lit ? data.relation : "",
    forceLabel: onPath,
    zIndex: lit ? 1 : 0,
  };
}
