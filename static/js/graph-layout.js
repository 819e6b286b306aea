// A worker: ForceAtlas2 in short turns, so that each turn's positions can be shown while it works on.
// Afterwards separate components are moved apart, unless something in them is fixed.
const NODE = 10; // numbers a node has in the layout's matrix: x, y at 0 and 1, fixed at 9
const TURN = 60; // milliseconds between two posts, more for pictures that take long to redraw

onmessage = async ({ data }) => {
  const { iterate } = await import(data.forces);
  const { nodes, edges, rounds, parts } = data;
  const order = nodes.length / NODE;
  const settings = {
    linLogMode: false,
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
  const turn = order > 1500 ? TURN * 5 : TURN;
  for (let round = 0; round < rounds; ) {
    const began = performance.now();
    do {
      iterate(settings, nodes, edges);
      round += 1;
    } while (round < rounds && performance.now() - began < turn);
    postMessage({ id: data.id, positions: positions(nodes), done: false });
  }
  apart(nodes, parts);
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
  const width = Math.max(first.r - first.l, unit * 12);
  let x = first.l;
  let y = first.b - unit * 2;
  let tallest = 0;
  for (const box of all) {
    if (box.fixed) continue;
    const wide = box.r - box.l + unit * 2;
    const tall = box.t - box.b + unit;
    if (x + wide > first.l + width && x > first.l) {
      x = first.l;
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
