// The feed follows what happens. While somebody reads, points at it or has opened something, it stands
// still and a pill counts what is new.
const KINDS = ["memory", "recall", "review", "import", "graph", "file", "bank", "other"];
const WAIT = 250;
const LABELS = { open: "Live", polling: "Looking every 10 s", closed: "Not live" };
let timer = null;

function reading() {
  const list = document.querySelector("[data-feed-list]");
  if (!list) return false;
  return (
    list.matches(":hover") ||
    list.contains(document.activeElement) ||
    list.querySelector("details[open]") !== null ||
    window.scrollY > 200 ||
    !getSelection().isCollapsed
  );
}

function look() {
  timer = null;
  const feed = document.querySelector("[data-feed]");
  const pill = document.getElementById("newer");
  if (pill && reading()) htmx.trigger(pill, "look");
  else if (feed) htmx.trigger(feed, "refresh");
}

for (const kind of KINDS) {
  document.body.addEventListener(`live:${kind}`, () => {
    timer ??= setTimeout(look, WAIT);
  });
}

function mark() {
  const place = document.querySelector("[data-live-mark]");
  const state = document.body.dataset.liveState;
  if (!place || !state) return;
  place.hidden = false;
  place.dataset.state = state;
  place.querySelector("[data-live-label]").textContent = LABELS[state] ?? state;
}

document.body.addEventListener("live-state", mark);
mark();
