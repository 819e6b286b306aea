// The names in the picture: none leaves it, and none covers another.
const WIDEST = 220; // pixels of a name
const EDGE = 4; // pixels that a name keeps from the picture's side
const CONTROLS = { width: 50, height: 158 }; // pixels of the buttons over the upper right corner

const shortened = new Map();

export function forget() {
  shortened.clear();
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

// Where a name may begin: right of the entity, left of it, and pushed inwards where neither side has room.
function beside(context, data, gap) {
  const stage = context.canvas.width / (devicePixelRatio || 1);
  const text = short(context, data.label, Math.min(WIDEST, stage * 0.45));
  const width = context.measureText(text).width;
  const right = data.x + data.size + gap;
  const left = data.x - data.size - gap - width;
  const spots = [right, left].filter((x) => x >= EDGE && x + width <= stage - EDGE);
  if (spots.length === 0) spots.push(Math.max(EDGE, Math.min(right, stage - EDGE - width)));
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
  labels.sort((one, two) => Number(two.forceLabel) - Number(one.forceLabel) || two.size - one.size);
  for (const data of labels) {
    if (!data.label || data.x < 0 || data.x > stage) continue;
    const { text, width, spots } = beside(context, data, 4);
    const boxes = spots.map((x) => ({ x, left: x - 2, right: x + width + 2, top: data.y - 8, bottom: data.y + 8 }));
    const box = boxes.find((one) => !taken.some((other) => covers(one, other)));
    if (!box) continue;
    taken.push(box);
    context.strokeText(text, box.x, data.y + 4);
    context.fillText(text, box.x, data.y + 4);
  }
}

function covers(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

export function hover(context, data, settings, colours) {
  if (!data.label) return;
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
  const { text, width, spots: [x] } = beside(context, data, 10);
  context.fillStyle = colours.paper;
  context.strokeStyle = colours.strong;
  context.lineWidth = 1.5;
  context.beginPath();
  context.arc(data.x, data.y, data.size + 3, 0, Math.PI * 2);
  context.stroke();
  context.beginPath();
  context.roundRect(x - 6, data.y - 11, width + 12, 22, 6);
  context.fill();
  context.stroke();
  context.fillStyle = colours.text;
  context.fillText(text, x, data.y + 4);
}
