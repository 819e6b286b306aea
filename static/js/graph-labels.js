// The names in the picture: none leaves it, none covers another, and an entity only where no side is free.
const WIDEST = 220; // pixels of a name
const LINE = 16; // pixels that a line of names is high
const EDGE = 4; // pixels that a name keeps from the picture's side
const CONTROLS = { width: 50, height: 158 }; // pixels of the buttons over the upper right corner

const ALONG = 9; // pixels between the names of two relations
const shortened = new Map();
// Of the frame that is drawn: on which side of each entity its name stands, and where the relations' names run.
const sides = new Map();
const lines = new Map();

export function forget() {
  shortened.clear();
}

export function begin() {
  sides.clear();
  lines.clear();
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
  const [middle, off] = [data.x - width / 2, data.size + gap + LINE / 2];
  const all = [[right, data.y], [left, data.y], [middle, data.y + off], [middle, data.y - off]].map(([x, y], side) => ({ x, y, side }));
  const inside = ({ x, y }) => x >= EDGE && x + width <= stage - EDGE && y >= LINE / 2 && y <= tall - LINE / 2;
  const spots = all.filter(inside);
  if (spots.length === 0) spots.push({ x: Math.max(EDGE, Math.min(right, stage - EDGE - width)), y: data.y, side: 0 });
  return { text, width, spots };
}

// The chosen, the hubs and the path's first, then the larger.
export function write(renderer, labels, colours) {
  if (labels.length === 0) return;
  const { labels: context } = renderer.canvasContexts;
  const { labelWeight, labelSize, labelFont } = renderer.getSettings();
  const stage = context.canvas.width / (devicePixelRatio || 1);
  const taken = [{ left: stage - CONTROLS.width, right: stage, top: 0, bottom: CONTROLS.height }];
  context.font = `${labelWeight} ${labelSize}px ${labelFont}`;
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = colours.paper;
  context.fillStyle = colours.text;
  labels.sort((one, two) => two.highlighted - one.highlighted || Number(two.forceLabel) - Number(one.forceLabel) || two.size - one.size);
  const entities = circles(renderer);
  for (const data of labels) {
    if (!data.label || data.x < 0 || data.x > stage) continue;
    const { text, width, spots } = beside(context, data, 4);
    const boxes = spots.map(({ x, y, side }) => ({ x, y, side, left: x - 2, right: x + width + 2, top: y - LINE / 2, bottom: y + LINE / 2 }));
    const free = boxes.filter((one) => !taken.some((other) => covers(one, other)));
    if (free.length === 0) continue;
    const box = clearest(free, entities);
    taken.push(box);
    sides.set(data.key, box.side);
    // Written by `hover`, over everything; here it only keeps its place.
    if (data.highlighted) continue;
    context.strokeText(text, box.x, box.y + 4);
    context.fillText(text, box.x, box.y + 4);
  }
}

// The boxes around all entities, their own included: no name covers its own.
function circles(renderer) {
  const found = [];
  renderer.getGraph().forEachNode((id) => {
    const { x, y, size } = renderer.getNodeDisplayData(id);
    const at = renderer.framedGraphToViewport({ x, y });
    const reach = renderer.scaleSize(size);
    found.push({ left: at.x - reach, right: at.x + reach, top: at.y - reach, bottom: at.y + reach });
  });
  return found;
}

// The first box that covers nothing, or else the one that covers the least.
function clearest(boxes, others) {
  let best = boxes[0];
  let least = Infinity;
  for (const box of boxes) {
    const covered = others.reduce((sum, other) => sum + (covers(box, other) ? shared(box, other) : 0), 0);
    if (covered < least) [best, least] = [box, covered];
    if (covered === 0) break;
  }
  return best;
}

function shared(one, other) {
  const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  return wide * (Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));
}

function covers(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

export function hover(context, data, settings, colours) {
  if (!data.label) return;
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
  const { text, width, spots } = beside(context, data, 10);
  const { x, y } = spots.find(({ side }) => side === sides.get(data.key)) ?? spots[0];
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

// Writes the name of a relation along its line, by sigma's own `straight`, where the line is long enough
// and no other name runs.
export function relation(straight, context, edge, source, target, settings) {
  if (!edge.label) return;
  context.font = `${settings.edgeLabelWeight} ${settings.edgeLabelSize}px ${settings.edgeLabelFont}`;
  const [dx, dy] = [target.x - source.x, target.y - source.y];
  const length = Math.hypot(dx, dy);
  const width = context.measureText(edge.label).width;
  if (length - source.size - target.size < width + ALONG * 2) return;
  const middle = 0.5 + (source.size - target.size) / (2 * length);
  const spots = [];
  for (let off = -width / 2; off <= width / 2; off += ALONG) {
    const at = middle + off / length;
    spots.push([source.x + dx * at, source.y + dy * at]);
  }
  const near = ([x, y]) => ([otherX, otherY]) => Math.hypot(x - otherX, y - otherY) < ALONG;
  for (const [key, others] of lines) {
    if (key !== edge.key && spots.some((spot) => others.some(near(spot)))) return;
  }
  lines.set(edge.key, spots);
  straight(context, edge, source, target, settings);
}
