// The names in the picture: none leaves it, none covers another, and only one that matters covers an entity.
const WIDEST = 220; // pixels of a name
const LINE = 16; // pixels that a line of names is high
const [PLAIN, FRAMED] = [4, 10]; // pixels between an entity and its name, and its name in a frame
const EDGE = 4; // pixels that a name keeps from the picture's side
const CONTROLS = { width: 50, height: 158 }; // pixels of the buttons over the upper right corner

const ALONG = 9; // pixels between the names of two relations
const shortened = new Map();
// On which side of each entity its name stood last.
const sides = new Map();
// Of the frame that is drawn: where the relations' names run, and the boxes around all entities.
const lines = new Map();
let entities = null;

export function forget() {
  shortened.clear();
  sides.clear();
}

export function begin() {
  lines.clear();
  entities = null;
}

// As much of a name as fits, remembered: it is asked for on every frame.
function short(context, name, room) {
  const key = `${Math.round(room)} ${name}`;
  let text = shortened.get(key);
  if (text !== undefined) return text;
  text = name;
  for (let length = Math.min(name.length, 80); context.measureText(text).width > room && length > 1; length -= 1) {
    text = `${[...name].slice(0, length).join("").trimEnd()}…`;
  }
  shortened.set(key, text);
  return text;
}

// Where a name may begin, and on which line: right of the entity, left of it, below and above; pushed
// inwards where none of them has room.
function beside(context, data, gap) {
  const [stage, tall] = [context.canvas.width, context.canvas.height].map((side) => side / (devicePixelRatio || 1));
  const text = short(context, data.label, Math.min(WIDEST, stage * 0.45));
  const width = context.measureText(text).width;
  const [right, left] = [data.x + data.size + gap, data.x - data.size - gap - width];
  // Below and above it may stand aside of the middle, and never on the line of the names beside.
  const middle = Math.max(EDGE, Math.min(data.x - width / 2, stage - EDGE - width));
  const off = Math.max(data.size + gap + LINE / 2, LINE);
  const all = [[right, data.y], [left, data.y], [middle, data.y + off], [middle, data.y - off]].map(([x, y], side) => ({ x, y, side }));
  const inside = ({ x, y }) => x >= EDGE && x + width <= stage - EDGE && y >= LINE / 2 && y <= tall - LINE / 2;
  const spots = all.filter(inside);
  if (spots.length === 0) spots.push({ x: Math.max(EDGE, Math.min(right, stage - EDGE - width)), y: data.y, side: 0 });
  return { text, width, spots };
}

function boxed(spots, width, aside, half) {
  return spots.map(({ x, y, side }) => ({ x, y, side, left: x - aside, right: x + width + aside, top: y - half, bottom: y + half }));
}

function controls(stage) {
  return { left: stage - CONTROLS.width, right: stage, top: 0, bottom: CONTROLS.height };
}

// A name in a frame: where it stood without, unless the buttons are there.
function framed(context, data) {
  const { text, width, spots } = beside(context, data, FRAMED);
  const buttons = controls(context.canvas.width / (devicePixelRatio || 1));
  const boxes = boxed(spots, width, 8, 12);
  const free = boxes.filter((one) => !covers(one, buttons));
  return { text, width, at: free.find(({ side }) => side === sides.get(data.key)) ?? free[0] ?? boxes[0] };
}

// The chosen, the hubs and the path's first, then the larger.
export function write(renderer, labels, colours) {
  if (labels.length === 0) return;
  const { labels: context } = renderer.canvasContexts;
  const { labelWeight, labelSize, labelFont } = renderer.getSettings();
  const stage = context.canvas.width / (devicePixelRatio || 1);
  const taken = [controls(stage)];
  context.font = `${labelWeight} ${labelSize}px ${labelFont}`;
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = colours.paper;
  context.fillStyle = colours.text;
  labels.sort((one, two) => two.highlighted - one.highlighted || Number(two.forceLabel) - Number(one.forceLabel) || two.size - one.size);
  const others = circles(renderer);
  for (const data of labels) {
    if (!data.label || data.x < 0 || data.x > stage) continue;
    if (data.highlighted) {
      // Written by `hover`, over everything; here it only keeps its place.
      taken.push(framed(context, data).at);
      continue;
    }
    const { text, width, spots } = beside(context, data, PLAIN);
    const free = boxed(spots, width, 2, LINE / 2).filter((one) => !taken.some((other) => covers(one, other)));
    if (free.length === 0) continue;
    const { box, covered } = clearest(free, others);
    if (covered > 0 && data.spare) continue;
    taken.push(box);
    sides.set(data.key, box.side);
    context.strokeText(text, box.x, box.y + 4);
    context.fillText(text, box.x, box.y + 4);
  }
}

// Its own is among them: no name covers its own entity.
function circles(renderer) {
  entities ??= renderer.getGraph().mapNodes((id) => {
    const { x, y, size } = renderer.getNodeDisplayData(id);
    const at = renderer.framedGraphToViewport({ x, y });
    const reach = renderer.scaleSize(size);
    return { left: at.x - reach, right: at.x + reach, top: at.y - reach, bottom: at.y + reach };
  });
  return entities;
}

// The first box that covers nothing, or else the one that covers the least, and how much that is.
function clearest(boxes, others) {
  let best = boxes[0];
  let least = Infinity;
  for (const box of boxes) {
    const covered = others.reduce((sum, other) => sum + (covers(box, other) ? shared(box, other) : 0), 0);
    if (covered < least) [best, least] = [box, covered];
    if (covered === 0) break;
  }
  return { box: best, covered: least };
}

function shared(one, other) {
  const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  return wide * (Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));
}

function covers(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

export function hover(context, data, settings, colours) {
  const out = (at, side) => at < -data.size || at > side / (devicePixelRatio || 1) + data.size;
  if (!data.label || out(data.x, context.canvas.width) || out(data.y, context.canvas.height)) return;
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
  const { text, width, at: { x, y } } = framed(context, data);
  context.fillStyle = colours.paper;
  context.strokeStyle = colours.strong;
  context.lineWidth = 1.5;
  context.beginPath();
  context.arc(data.x, data.y, data.size + 3, 0, Math.PI * 2);
  context.stroke();
  context.beginPath();
  context.roundRect(x - 6, y - 11, width + 12, 22, 6);
  context.fill();
  context.stroke();
  context.fillStyle = colours.text;
  context.fillText(text, x, y + 4);
}

// Writes the name of a relation along its line, by sigma's own `straight`, where the line is long enough,
// no other name runs and no entity lies over it.
export function relation(renderer, straight, context, edge, source, target, settings) {
  if (!edge.label) return;
  context.font = `${settings.edgeLabelWeight} ${settings.edgeLabelSize}px ${settings.edgeLabelFont}`;
  const [dx, dy] = [target.x - source.x, target.y - source.y];
  const length = Math.hypot(dx, dy);
  const width = context.measureText(edge.label).width;
  if (length - source.size - target.size < width + ALONG * 2) return;
  const middle = 0.5 + (source.size - target.size) / (2 * length);
  // It stands under its line.
  const under = (Math.sign(dx) || 1) * (settings.edgeLabelSize * 0.8) / length;
  const spots = [];
  for (let off = -width / 2; off <= width / 2; off += ALONG) {
    const at = middle + off / length;
    spots.push([source.x + dx * at - dy * under, source.y + dy * at + dx * under]);
  }
  const near = ([x, y]) => ([otherX, otherY]) => Math.hypot(x - otherX, y - otherY) < ALONG;
  for (const [key, others] of lines) {
    if (key !== edge.key && spots.some((spot) => others.some(near(spot)))) return;
  }
  const over = ([x, y]) => circles(renderer).some(({ left, right, top, bottom }) => x > left && x < right && y > top && y < bottom);
  if (spots.some(over)) return;
  lines.set(edge.key, spots);
  straight(context, edge, source, target, settings);
}
