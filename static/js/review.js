// Skipping puts a question behind the others on this page and goes on with the next; nothing is decided.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-action='skip']");
  const row = button?.closest("[data-row]");
  if (!row) return;
  const next = row.nextElementSibling ?? row.parentElement.firstElementChild;
  row.parentElement.append(row);
  document.querySelectorAll("[data-row][data-current]").forEach((each) => delete each.dataset.current);
  if (next === row) return;
  next.dataset.current = "";
  next.querySelector("[data-open]")?.focus();
  next.scrollIntoView({ block: "nearest" });
});
