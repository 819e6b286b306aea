// Server times are complete and in UTC; here they become "3 min ago", with local time as the title.
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });
const STEPS = [
  [60, "second", 1],
  [3600, "minute", 60],
  [86400, "hour", 3600],
  [86400 * 14, "day", 86400],
];

function show(element) {
  const at = new Date(element.dateTime);
  if (Number.isNaN(at.getTime())) return;
  const age = (Date.now() - at.getTime()) / 1000;
  const step = STEPS.find(([below]) => Math.abs(age) < below);
  if (Math.abs(age) < 5) element.textContent = "just now";
  else if (step) element.textContent = relative.format(-Math.round(age / step[2]), step[1]);
  else element.textContent = day.format(at);
  element.title = full.format(at);
}

function showAll(root = document) {
  root.querySelectorAll('time[data-moment="relative"]').forEach(show);
}

showAll();
setInterval(showAll, 20000);
// At once after a swap, before anything is painted: the complete time would flash otherwise.
for (const swapped of ["htmx:afterSwap", "htmx:oobAfterSwap"]) document.addEventListener(swapped, () => showAll());
