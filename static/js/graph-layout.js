// A worker: ForceAtlas2 in short turns. Positions are posted while it works, the next only after the page
// has shown the last and had time for other things. Afterwards separate components are moved apart,
// unless something in them is fixed.
const NODE = 10; // numbers a node has in the layout's matrix: x, y at 0 and 1, fixed at 9
const TURN = 40; // milliseconds between two looks at what the page says
const REST = 5; // the page draws at most one part in so many of the time
let current = 0;
let shown = { awaited: false, next: 0 };

onmessage = async ({ data }) => {
  if (data.took !== undefined) {
    shown = { awaited: false, next: performance.now() + Math.max(TURN, data.took * REST) };
    return;
  }
  current = data.id;
  shown = { awaited: false, next: 0 };
  const { iterate } = await import(data.forces);
  const { nodes, edges, rounds } = data;
  const order = nodes.length / NODE;
  const settings = {
    // Clusters of thousands draw together instead of lying in one heap.
    linLogMode: order > 1500,
    outboundAttractionDistribution: false,
    adjustSizes: order < 1500,
    edgeWeightInfluence: 0.4,
    scalingRatio: order < 400 ? 14 : 8,
    strongGravityMode: false,
    gravity: 0.6,
    slowDown: 1 + Math.log(Math.max(2, order)),
    barnesHutOptimize: order > 800,
    barnesHutTheta: 0.7,
  };
  for (let round = 0; round < rounds; ) {
    const began = performance.now();
    do {
      iterate(settings, nodes, edges);
      round += 1;
    } while (round < rounds && performance.now() - began < TURN);
    // Lets in what the page says: that it has shown the last positions, or wants another picture.
    await new Promise((resume) => setTimeout(resume));
    if (current !== data.id) return;
    if (data.calm || shown.awaited || performance.now() < shown.next) continue;
    shown.awaited = true;
    postMessage({ id: data.id, positions: positions(nodes), done: false });
  }
  if (!data.settle) apart(nodes, components(order, edges));
  postMessage({ id: data.id, positions: positions(nodes), done: true });
};

function positions(nodes) {
  const found = new Float32Array((nodes.length / NODE) * 2);
  for (let at = 0, to = 0; at < nodes.length; at += NODE) {
    found[to++] = nodes[at];
    found[to++] = nodes[at + 1];
  }
  return found;
}

// For each node a number that it shares with all that edges lead to.
function components(order, edges) {
  const parents = Int32Array.from({ length: order }, (_, index) => index);
  const root = (index) => {
    while (parents[index] !== index) index = parents[index] = parents[parents[index]];
    return index;
  };
  for (let at = 0; at < edges.length; at += 3) parents[root(edges[at] / NODE)] = root(edges[at + 1] / NODE);
  return parents.map((_, index) => root(index));
}

// The largest stays; the others stand in rows below it, each in its own box.
function apart(nodes, parts) {
  const boxes = new Map();
  parts.forEach((part, index) => {
    const at = index * NODE;
    const x = nodes[at];
    const y = nodes[at + 1];
    const box = boxes.get(part) ?? { part, l: x, r: x, t: y, b: y, of: [], fixed: false };
    box.l = Math.min(box.l, x);
    box.r = Math.max(box.r, x);
    box.t = Math.max(box.t, y);
    box.b = Math.min(box.b, y);
    box.fixed ||= nodes[at + 9] === 1;
    box.of.push(at);
    boxes.set(part, box);
  });
  const all = [...boxes.values()].sort((one, two) => two.of.length - one.of.length || one.part - two.part);
  const first = all.shift();
  if (!first || all.length === 0) return;
  const unit = Math.max(12, (first.r - first.l) / 24);
  // Wide enough that many small ones make a block, not a column.
  const area = all.reduce((sum, box) => sum + (box.r - box.l + unit * 2) * (box.t - box.b + unit * 2), 0);
  const width = Math.max(first.r - first.l, unit * 12, Math.sqrt(area * 1.6));
  // Few stand far enough from one another for their names.
  const gap = Math.max(unit * 2, width / Math.max(3, 2.2 * Math.sqrt(all.length)));
  const start = (first.l + first.r - width) / 2 + gap / 2;
  let x = start;
  let y = first.b - unit * 2;
  let tallest = 0;
  for (const box of all) {
    if (box.fixed) continue;
    const wide = box.r - box.l + gap;
    const tall = box.t - box.b + unit;
    if (x + wide > start + width && x > start) {
      x = start;
      y -= tallest + unit;
      tallest = 0;
    }
    for (const at of box.of) {
      nodes[at] += x - box.l;
      nodes[at + 1] += y - box.t;
    }
    x += wide;
    tallest = Math.max(tallest, tall);
  }
}
