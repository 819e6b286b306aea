// Copy buttons are hidden until this module runs: without scripts there is nothing to press.
function reveal(root = document) {
  root.querySelectorAll("[data-copy][hidden]").forEach((button) => (button.hidden = false));
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  const label = button.querySelector("[data-copy-label]");
  try {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    label.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(source);
    label.textContent = "Press Ctrl C";
  }
  setTimeout(() => (label.textContent = "Copy"), 2000);
});

reveal();
document.addEventListener("htmx:afterSettle", () => reveal());
