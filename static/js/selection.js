// Picking rows: X picks the current one, Shift X and Shift click everything since the last pick.
// Without scripts the same boxes and buttons work; only the number is missing.
let anchor = null;

function boxes() {
  return [...document.querySelectorAll("[data-pick]")];
}

function everything() {
  return document.querySelector("[data-pick-all]");
}

function show() {
  const all = boxes();
  const number = all.filter((box) => box.checked).length;
  const output = document.querySelector("[data-picked]");
  if (output) output.textContent = everything()?.checked ? "All" : String(number);
  const page = document.querySelector("[data-pick-page]");
  if (page) page.hidden = number === all.length;
}

function pick(box, range) {
  const all = boxes();
  const from = all.indexOf(anchor);
  const to = all.indexOf(box);
  if (range && from !== -1) {
    for (const between of all.slice(Math.min(from, to), Math.max(from, to) + 1)) between.checked = anchor.checked;
  }
  anchor = box;
  show();
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-pick-page]")) {
    boxes().forEach((box) => (box.checked = true));
    show();
  }
  const box = event.target.closest("[data-pick]");
  if (box) pick(box, event.shiftKey);
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-pick-all]")) show();
});

// The boxes stand outside the form's own element, so a reset event comes before they are cleared.
document.addEventListener("reset", () => setTimeout(show));

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "x" || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.closest("input:not([data-pick]), textarea, select, dialog[open]")) return;
  const row = document.activeElement?.closest("[data-row]") ?? document.querySelector("[data-row][data-current]");
  const box = row?.querySelector("[data-pick]");
  if (!box) return;
  event.preventDefault();
  if (!event.shiftKey || anchor === null) box.checked = !box.checked;
  pick(box, event.shiftKey);
});

document.addEventListener("htmx:afterSettle", show);
show();
