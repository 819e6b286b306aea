// Toasts leave by themselves, but never while somebody points at them or holds the focus in them.
const SHORT = 6000;
const WITH_UNDO = 20000;

function start(toast) {
  let timer;
  const wait = () => {
    timer = setTimeout(() => toast.remove(), "undo" in toast.dataset ? WITH_UNDO : SHORT);
  };
  const hold = () => clearTimeout(timer);
  toast.addEventListener("pointerenter", hold);
  toast.addEventListener("focusin", hold);
  toast.addEventListener("pointerleave", wait);
  toast.addEventListener("focusout", wait);
  toast.querySelector("[data-dismiss]")?.addEventListener("click", () => toast.remove());
  wait();
}

const region = document.getElementById("toasts");
if (region) {
  region.querySelectorAll("[data-toast]").forEach(start);
  new MutationObserver((changes) => {
    for (const change of changes) {
      for (const node of change.addedNodes) {
        if (node instanceof HTMLElement && node.matches("[data-toast]")) start(node);
      }
    }
  }).observe(region, { childList: true });
}

document.addEventListener("htmx:responseError", (event) => {
  announce(`That did not work (${event.detail.xhr.status}). Nothing was changed.`);
});
document.addEventListener("htmx:sendError", () => announce("The server cannot be reached."));

function announce(text) {
  const toast = document.createElement("div");
  toast.className =
    "toast-item pointer-events-auto w-full max-w-sm rounded-xl bg-neutral px-4 py-3 text-ui text-neutral-content shadow-lg";
  toast.dataset.toast = "";
  toast.textContent = text;
  region?.append(toast);
}
