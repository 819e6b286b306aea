// In the editor Ctrl or ⌘ Enter saves and Escape cancels; leaving with unsaved text asks first.
let typed = false;

document.addEventListener("keydown", (event) => {
  const editor = event.target.closest?.("[data-editor]");
  if (!editor) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    editor.querySelector("[data-save]").click();
  } else if (event.key === "Escape" && !typed) {
    editor.querySelector("[data-cancel]").click();
  }
});

document.addEventListener("input", (event) => {
  if (event.target.closest("[data-editor]")) typed = true;
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-editor] [data-save], [data-editor] [data-cancel]")) typed = false;
});
window.addEventListener("beforeunload", (event) => {
  if (typed && document.querySelector("[data-editor]")) event.preventDefault();
});
