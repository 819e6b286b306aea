// Single-key shortcuts. Each has a visible button or link: the key only presses it.
const GO = {
  m: "memories", g: "graph", e: "entities", r: "review", a: "activity", i: "import", c: "connect",
  l: "lab", k: "gaps", t: "tests", s: "bank-settings", y: "agents", p: "people", b: "banks",
  o: "organization-settings", d: "ledger", u: "usage",
};
let goUntil = 0;

function typing(target) {
  return target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null;
}

function rows() {
  return [...document.querySelectorAll("[data-row]")];
}

function current() {
  return document.activeElement?.closest("[data-row]") ?? document.querySelector("[data-row][data-current]");
}

function move(step) {
  const all = rows();
  if (all.length === 0) return;
  const at = all.indexOf(current());
  const next = all[at === -1 ? (step > 0 ? 0 : all.length - 1) : at + step];
  if (!next) return;
  all.forEach((row) => delete row.dataset.current);
  next.dataset.current = "";
  next.querySelector("[data-open]")?.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

function press(action) {
  const scope = current() ?? document;
  const button = scope.querySelector(`[data-action="${action}"]`);
  button?.click();
  return Boolean(button);
}

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  e: () => press("edit"),
  p: () => press("pin"),
  "#": () => press("delete"),
  1: () => press("choice-1"),
  2: () => press("choice-2"),
  3: () => press("choice-3"),
  s: () => press("skip"),
  u: () => {
    const undo = [...document.querySelectorAll("[data-toast][data-undo] form")].at(-1);
    undo?.requestSubmit();
  },
  "/": () => document.querySelector("[data-search]")?.focus(),
  "?": () => document.getElementById("shortcuts")?.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  if (typing(event.target)) {
    if (event.key === "Escape" && event.target.matches("[data-search]")) event.target.blur();
    return;
  }
  if (document.querySelector("dialog[open]")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (Date.now() < goUntil && GO[key]) {
    const link = document.querySelector(`[data-go="${GO[key]}"]`);
    goUntil = 0;
    if (link) location.assign(link.href);
    return;
  }
  if (key === "g") {
    goUntil = Date.now() + 1200;
    return;
  }
  if (KEYS[key]) {
    event.preventDefault();
    KEYS[key]();
  }
});
