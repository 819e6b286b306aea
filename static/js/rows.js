// After a row was replaced or removed, the focus goes back to it, or to the row in its place.
let place = null;

function rows() {
  return [...document.querySelectorAll("[data-row]")];
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const row = event.detail.target?.closest?.("[data-row]");
  place = row ? { id: row.id, at: rows().indexOf(row), current: "current" in row.dataset } : null;
});

document.addEventListener("htmx:afterSettle", () => {
  if (!place || document.activeElement !== document.body) return;
  const all = rows();
  const row = document.getElementById(place.id) ?? all[Math.min(place.at, all.length - 1)];
  if (row && place.current) row.dataset.current = "";
  row?.querySelector("[data-open]")?.focus({ preventScroll: true });
  place = null;
});
