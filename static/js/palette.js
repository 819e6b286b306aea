// Ctrl K or ⌘K opens the palette; arrows move through its results, Enter follows the chosen one.
const palette = document.getElementById("palette");
const input = palette?.querySelector("input");

function options() {
  return [...palette.querySelectorAll('[role="option"]')];
}

function choose(index) {
  const all = options();
  all.forEach((option, at) => {
    option.setAttribute("aria-selected", String(at === index));
    if (!option.id) option.id = `palette-option-${at}`;
  });
  if (all[index]) {
    input.setAttribute("aria-activedescendant", all[index].id);
    all[index].scrollIntoView({ block: "nearest" });
  } else {
    input.removeAttribute("aria-activedescendant");
  }
}

document.addEventListener("keydown", (event) => {
  if (!palette || event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (palette.open) palette.close();
  else palette.showModal();
});

palette?.addEventListener("keydown", (event) => {
  const all = options();
  const at = all.findIndex((option) => option.getAttribute("aria-selected") === "true");
  if (event.key === "ArrowDown") choose(Math.min(at + 1, all.length - 1));
  else if (event.key === "ArrowUp") choose(Math.max(at - 1, 0));
  else if (event.key === "Enter" && at >= 0) all[at].click();
  else if (event.key === "Escape") palette.close(); // a search field would only clear itself
  else return;
  event.preventDefault();
});

palette?.addEventListener("toggle", () => {
  if (palette.open) input.focus();
});
palette?.addEventListener("htmx:afterSwap", () => choose(0));
