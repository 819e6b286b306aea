// `command` and `commandfor` open dialogs natively; this fills in for browsers without them,
// closes a sheet by a click on its backdrop, and closes open menus by Escape or a click elsewhere.
const native = "command" in HTMLButtonElement.prototype;

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[commandfor]");
  if (button && !native) {
    const dialog = document.getElementById(button.getAttribute("commandfor"));
    if (button.getAttribute("command") === "close") dialog?.close();
    else dialog?.showModal();
  }
  if (event.target instanceof HTMLDialogElement) event.target.close();
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

document.addEventListener("htmx:afterSwap", (event) => {
  const wanted = event.target.querySelector?.("[data-focus]");
  if (wanted) wanted.focus();
});
