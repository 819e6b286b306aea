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

// Gives every node of the graph a place to start from; returns how many had none. The best connected
// come first: each of the others begins beside the one before it in that order that it knows, which in a
// large graph is the middle of its own cluster.
export function seed(graph, places, columns) {
  const order = new Map(columns.nodes.map(([id], index) => [id, index]));
  const fresh = [];
  for (const [id, index] of order) {
    const spot = places.at(id);
    if (spot) graph.mergeNodeAttributes(id, { x: spot[0], y: spot[1], known: true });
    else fresh.push([id, index]);
  }
  const large = columns.nodes.length > 1500;
  for (const [id, index] of fresh) {
    let near = null;
    graph.forEachNeighbor(id, (other, { known, seeded }) => {
      if (known && !near?.known) near = { id: other, known };
      else if (large && seeded && !near?.known && !(near && order.get(near.id) > order.get(other))) near = { id: other };
    });
    const angle = index * 2.39996;
    const around = near ? 20 : 12 * Math.sqrt(index + 1);
    const { x = 0, y = 0 } = near ? graph.getNodeAttributes(near.id) : {};
    graph.mergeNodeAttributes(id, { x: x + Math.cos(angle) * around, y: y + Math.sin(angle) * around, seeded: true });
  }
  return fresh.length;
}
