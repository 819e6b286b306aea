// Draws what the table beside each chart says, in the theme's colours, again when theme or width change.
import uPlot from "../vendor/uplot-1.6.32/uPlot.esm.js";

const HEIGHT = 160;
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const drawn = new Map();

const probe = document.createElement("span");
probe.hidden = true;
document.body.append(probe);

// A canvas knows no var() and no light-dark(); a computed style has resolved both.
function colour(name) {
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

function axis(extra = {}) {
  return {
    stroke: colour("--chart-text"),
    grid: { stroke: colour("--chart-grid"), width: 1 },
    ticks: { stroke: colour("--chart-grid"), width: 1, size: 4 },
    font: "11px Inter Variable, sans-serif",
    ...extra,
  };
}

function series({ label, colour: number, kind }) {
  const paint = colour(`--chart-${number}`);
  const bars = kind === "bars";
  return {
    label,
    stroke: paint,
    width: bars ? 0 : 2,
    fill: bars ? paint : undefined,
    paths: bars ? uPlot.paths.bars({ size: [0.7, 24] }) : undefined,
    points: { show: !bars, size: 5, fill: paint },
    spanGaps: true,
  };
}

function draw(place) {
  const { columns, series: given } = JSON.parse(document.getElementById(place.dataset.chart).textContent);
  drawn.get(place)?.destroy();
  const plot = new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      scales: { x: { range: (_, first, last) => [first - 43200, last + 43200] }, y: { range: (_, least, most) => [0, Math.max(most ?? 0, 1) * 1.08] } },
      axes: [axis({ space: 60, values: (_, all) => all.map((at) => DAY.format(new Date(at * 1000))) }), axis({ size: 52, values: (_, all) => all.map((v) => v.toLocaleString("en")) })],
      series: [{}, ...given.map(series)],
      cursor: { drag: { setScale: false, x: false, y: false } },
      legend: { show: columns.length > 2, live: false },
    },
    columns,
    place,
  );
  drawn.set(place, plot);
}

const places = [...document.querySelectorAll("[data-chart]")];
places.forEach(draw);

const again = () => places.forEach(draw);
new MutationObserver(again).observe(document.documentElement, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const plot = drawn.get(target);
    if (plot && Math.abs(plot.width - target.clientWidth) > 1) draw(target);
  }
});
places.forEach((place) => widths.observe(place));
