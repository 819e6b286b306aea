// Where entities stand is kept in this browser, by bank: ids and coordinates, no names. What stood
// somewhere before stands there again; newcomers start beside their neighbours.
const KEPT = 6000;

export function open(bank) {
  const key = `graph:${bank}`;
  let kept = { at: {}, pins: [] };
  try {
    kept = { ...kept, ...JSON.parse(localStorage.getItem(key) ?? "{}") };
  } catch {
    // Unreadable or forbidden: laid out anew each time.
  }
  const pins = new Set(kept.pins);
  const save = () => {
    const entries = Object.entries(kept.at);
    if (entries.length > KEPT) kept.at = Object.fromEntries(entries.slice(-KEPT));
    try {
      localStorage.setItem(key, JSON.stringify({ at: kept.at, pins: [...pins] }));
    } catch {
      // Full or forbidden: the picture works without.
    }
  };
  return {
    pins,
    at: (id) => kept.at[id],
    keep(graph) {
      graph.forEachNode((id, { x, y }) => {
        delete kept.at[id];
        kept.at[id] = [Math.round(x * 10) / 10, Math.round(y * 10) / 10];
      });
      save();
    },
    pin(id, on) {
      if (on) pins.add(id);
      else pins.delete(id);
      save();
    },
    forget() {
      kept.at = Object.fromEntries(Object.entries(kept.at).filter(([id]) => pins.has(id)));
      save();
    },
  };
}

// Gives every node of the graph a place to start from; returns how many had none.
export function seed(graph, places, columns) {
  const fresh = [];
  columns.nodes.forEach(([id], index) => {
    const spot = places.at(id);
    if (spot) graph.mergeNodeAttributes(id, { x: spot[0], y: spot[1], known: true });
    else fresh.push([id, index]);
  });
  for (const [id, index] of fresh) {
    const near = graph.neighbors(id).find((other) => graph.getNodeAttribute(other, "known"));
    const angle = index * 2.39996;
    const around = near ? 20 : 12 * Math.sqrt(index + 1);
    const { x = 0, y = 0 } = near ? graph.getNodeAttributes(near) : {};
    graph.mergeNodeAttributes(id, { x: x + Math.cos(angle) * around, y: y + Math.sin(angle) * around });
  }
  return fresh.length;
}
