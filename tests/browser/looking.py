"""What is wrong with a page to look at: axe, its width and what leaves it, at both widths in both themes.

A page is loaded once and looked at in all four forms.

Whatever opens on the page (folds, menus, dialogs, the drawer) is opened and looked at as well. What
opens in the frame around a screen is the same on each: it is looked at where all parts are asked for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import axe_playwright_python

Parts = Literal["none", "screen", "all"]
SIZES = {"wide": (1280, 800), "narrow": (390, 844)}
SCHEMES = ("light", "dark")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
FRAME = "#navigation, #navigation details, #shortcuts, #palette, #new-bank"
LOOK = """async ([rules, parts]) => {
  const found = [];
  const look = async (name, what) => {
    const { violations } = await axe.run(what, { runOnly: rules, resultTypes: ["violations"] });
    for (const { id, nodes } of violations) {
      for (const { target, failureSummary } of nodes)
        found.push(`${name}${id}: ${target} ${failureSummary.slice(0, 200)}`);
    }
    const over = document.documentElement.scrollWidth - innerWidth;
    if (over > 0) found.push(`${name}${over} px too wide`);
  };
  const drawer = document.getElementById("navigation");
  const drawn = parts === "all" && drawer && !drawer.checkVisibility();
  const folds = parts === "none" ? [] : document.querySelectorAll("details:not([data-menu])");
  for (const fold of folds) fold.open = true;
  // What changed with the theme or opened is in its final colours when nothing fades any more.
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const fading = () => document.getAnimations().filter(({ playState, effect }) =>
    playState === "running" && effect.getComputedTiming().endTime < Infinity);
  const settled = async () => {
    do {
      await frame();
      await Promise.allSettled(fading().map((one) => one.finished));
    } while (fading().length > 0);
  };
  await settled();
  await look("", document);
  if (parts === "none") return found;
  if (drawn) drawer.showPopover();
  for (const part of document.querySelectorAll("dialog, [popover], details[data-menu]")) {
    if ((parts !== "all" && part.matches(%r)) || (part === drawer && !drawn)) continue;
    const name = `in ${part.id || part.querySelector("summary")?.textContent.trim().replace(/\\s+/g, " ")}: `;
    const shut = part.open === false;
    if (shut && part.matches("dialog")) part.showModal();
    else if (shut) part.open = true;
    await settled();
    await look(name, part);
    const panel = part.querySelector(":scope > :not(summary)");
    const { left, right, width } = (part.matches("details") ? panel : part).getBoundingClientRect();
    if (width === 0) found.push(`${name}does not open`);
    else if (left < 0 || right > innerWidth) found.push(`${name}leaves the window`);
    if (shut && part.matches("dialog")) part.close();
    else if (shut) part.open = false;
  }
  if (drawn) drawer.hidePopover();
  return found;
}""".replace("%r", repr(FRAME))


def violations(page: Any) -> list[str]:
    """What axe finds on the page as it stands, one line a node."""
    page.evaluate(AXE)
    found = page.evaluate("(rules) => axe.run(document, {runOnly: rules})", RULES)["violations"]
    return [
        f"{each['id']}: {node['target']} {node['failureSummary'][:200]}"
        for each in found
        for node in each["nodes"]
    ]


def faults(page: Any, *, parts: Parts = "screen") -> list[str]:
    """One line for everything that is wrong in any form, with these parts opened."""
    page.evaluate(AXE)
    before = page.viewport_size
    found = []
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            found += [f"{size}, {scheme}: {fault}" for fault in page.evaluate(LOOK, [RULES, parts])]
    page.set_viewport_size(before)
    return found
