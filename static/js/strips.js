// Rows of links that scroll sideways: the current one is brought into sight, and the page stays where it is.
function show(strip) {
  const current = strip.querySelector("[aria-current]");
  if (!current) return;
  const [box, within] = [current.getBoundingClientRect(), strip.getBoundingClientRect()];
  if (box.left >= within.left && box.right <= within.right) return;
  strip.scrollLeft += box.left - within.left - (within.width - box.width) / 2;
}

const showAll = () => document.querySelectorAll("[data-strip]").forEach(show);

showAll();
document.addEventListener("htmx:afterSwap", showAll);
