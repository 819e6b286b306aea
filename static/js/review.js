// When the last question of the page is decided, what waits behind it comes, or that nothing does.
document.addEventListener("htmx:afterSettle", () => {
  const refill = document.querySelector("#queue [data-refill]");
  // What others have settled meanwhile stays in sight, so that no key falls on the next question.
  const open = document.querySelector("#queue [data-row]:not(:has([data-settled]))");
  if (refill && !open && !document.querySelector("#queue [data-settled]")) htmx.trigger(refill, "refill");
});

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
