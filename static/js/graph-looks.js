// What entities and relations look like, in the colours of the theme.
const LIGHT = {
  clusters: ["#3d56b0", "#b45309", "#0f766e", "#a21caf", "#15803d", "#be123c", "#0369a1", "#6d5a00"],
  other: "#7c8494", faint: "#dfe2e8", edge: "#c3c8d2", strong: "#3d56b0", text: "#1d2230", paper: "#ffffff",
};
const DARK = {
  clusters: ["#9db2ff", "#f5b26b", "#5fd4c4", "#e58af0", "#7fd996", "#ff8fa3", "#6cc4f5", "#d9c65a"],
  other: "#8a93a5", faint: "#2b303b", edge: "#454c5a", strong: "#9db2ff", text: "#e8eaf0", paper: "#1b1e26",
};

// Of fewer neighbours than this each is named where there is room.
const NAMED = 60;

export function theme() {
  const scheme = getComputedStyle(document.body).colorScheme;
  const dark = scheme === "dark" || (scheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  return dark ? DARK : LIGHT;
}

export function node(id, data, state, colours) {
  const lit = id === state.chosen || (state.path.size ? state.path : state.near).has(id);
  const quiet = (state.chosen || state.path.size) && !lit;
  const colour = quiet ? colours.faint : (colours.clusters[data.colour] ?? colours.other);
  return {
    ...data,
    color: colour,
    ink: colours.text,
    label: quiet ? "" : state.pins.has(id) ? `${data.label} (pinned)` : data.label,
    forceLabel: !quiet && (data.named || (lit && state.near.size < NAMED) || id === state.chosen || state.path.has(id)),
    // Named only where there is room: its name gives way to other entities.
    spare: data.named && !data.hub && !(lit && (state.chosen || state.path.size)),
    highlighted: id === state.chosen,
    zIndex: quiet ? 0 : id === state.chosen ? 3 : lit ? 2 : 1,
  };
}

export function edge(graph, id, data, state, colours) {
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
