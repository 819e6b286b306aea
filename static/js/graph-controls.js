// Buttons and keys of the canvas.
export function controls(picture, canvas, on) {
  picture.addEventListener("click", (event) => {
    const how = event.target.closest("[data-zoom]")?.dataset.zoom;
    if (how) canvas.zoom(how);
    if (event.target.closest("[data-again]")) on.again();
  });
  const KEYS = {
    "+": () => canvas.zoom("in"), "=": () => canvas.zoom("in"), "-": () => canvas.zoom("out"), 0: () => canvas.zoom("fit"),
    ArrowLeft: () => canvas.move(-1, 0), ArrowRight: () => canvas.move(1, 0),
    ArrowUp: () => canvas.move(0, 1), ArrowDown: () => canvas.move(0, -1),
    Enter: on.expand, Escape: on.release,
  };
  picture.querySelector("[data-stage]").addEventListener("keydown", (event) => {
    if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    KEYS[event.key]();
  });
}

// The slider over the bank's time; at its end stands now.
export function moments(picture, changed) {
  const range = picture.querySelector("[data-slider]");
  const shown = picture.querySelector("[data-moment-shown]");
  const last = Number(range.max);
  const stamp = () => (Number(range.value) >= last - 1 ? "" : `${new Date(range.value * 1000).toISOString().slice(0, 19)}Z`);
  const tell = () => {
    shown.textContent = stamp() ? new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" }).format(new Date(stamp())) : "Now";
  };
  range.addEventListener("input", tell);
  range.addEventListener("change", () => changed(stamp()));
  return {
    show(text) {
      const at = Date.parse(text.length <= 10 && text ? `${text}T23:59:59Z` : text) / 1000;
      range.value = Number.isNaN(at) ? last : at;
      tell();
    },
  };
}
