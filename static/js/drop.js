// Files dropped anywhere on a form go into its file field; the label says what is chosen.
function tell(form) {
  const field = form.querySelector("input[type=file]");
  const label = form.querySelector("[data-drop-label]");
  label.dataset.empty ??= label.textContent;
  const names = [...field.files].map((file) => file.name);
  label.textContent =
    names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more` : names.join(", ") || label.dataset.empty;
}

for (const form of document.querySelectorAll("[data-drop]")) {
  const field = form.querySelector("input[type=file]");
  field.addEventListener("change", () => tell(form));
  for (const kind of ["dragenter", "dragover"]) {
    form.addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      form.dataset.over = "";
    });
  }
  form.addEventListener("dragleave", (event) => {
    if (!form.contains(event.relatedTarget)) delete form.dataset.over;
  });
  form.addEventListener("drop", (event) => {
    delete form.dataset.over;
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    field.files = event.dataTransfer.files;
    tell(form);
  });
}
