// Hears from the server that something of this bank changed, and tells the page: `live:<kind>` events
// on the body, with the ids but never the content. What a page shows it fetches again by itself:
// hx-trigger="live:memory from:body". Without a socket the same events come every few seconds.
const KINDS = ["memory", "recall", "review", "import", "job", "graph", "file", "bank", "other"];
const FIRST_WAIT = 500;
const LONGEST_WAIT = 30000;
const POLL = 10000;
// The server's "signed out" and "nothing here": asking again would not help.
const FINAL = [4401, 4403];

const address = document.body.dataset.live;
let socket = null;
let wait = FIRST_WAIT;
let retry = null;
let polling = null;
let missed = false;

function fire(kind, ids, polled = false) {
  document.body.dispatchEvent(new CustomEvent(`live:${kind}`, { bubbles: true, detail: { kind, ids, polled } }));
}

function fireAll() {
  if (document.hidden) return void (missed = true);
  missed = false;
  KINDS.forEach((kind) => fire(kind, [], true));
}

function show(state) {
  document.body.dataset.liveState = state;
  document.body.dispatchEvent(new CustomEvent("live-state", { bubbles: true, detail: { state } }));
}

function stopPolling() {
  clearInterval(polling);
  polling = null;
}

function connect() {
  clearTimeout(retry);
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  socket = new WebSocket(`${scheme}//${location.host}${address}`);
  socket.addEventListener("message", heard);
  socket.addEventListener("close", closed);
}

function heard(event) {
  const { kinds } = JSON.parse(event.data);
  wait = FIRST_WAIT;
  if (document.body.dataset.liveState !== "open") {
    show("open");
    // Whatever happened while nobody listened.
    if (polling) fireAll();
    stopPolling();
  }
  for (const [kind, ids] of Object.entries(kinds)) fire(kind, ids);
}

function closed(event) {
  socket = null;
  if (FINAL.includes(event.code)) {
    stopPolling();
    return show("closed");
  }
  show("polling");
  polling ??= setInterval(fireAll, POLL);
  retry = setTimeout(connect, wait * (0.75 + Math.random() / 2));
  wait = Math.min(wait * 2, LONGEST_WAIT);
}

if (address) {
  connect();
  window.addEventListener("pagehide", () => {
    socket?.removeEventListener("close", closed);
    socket?.close();
    socket = null;
    clearTimeout(retry);
    stopPolling();
  });
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    fireAll();
    connect();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && missed) fireAll();
  });
}
