// The graph page: the address is the view. Links, filters and the canvas all change the address; the
// picture and the list follow it, also on the way back.
const view = document.getElementById("graph-view");
const DRAWN = ["focus", "depth", "nodes", "type", "relation", "author", "since", "until", "as_of", "expand", "to"];
const EXPANDED = 20;
const PAUSE = 300; // milliseconds without a key until what is typed is searched for
if (view) start();

async function start() {
  const { controls, moments } = await import(view.dataset.controls);
  const side = view.querySelector("[data-side]");
  const form = document.querySelector("[data-graph-search]");
  const picture = view.querySelector("[data-picture]");
  const here = () => new URLSearchParams(location.search);
  const chosen = () => here().get("select") ?? here().get("focus") ?? "";
  let drawn = null;
  let canvas = null;
  let places = null;

  const go = (parameters) => {
    const said = new URLSearchParams([...parameters].filter(([, value]) => value));
    const address = `${view.dataset.url}${said.size ? `?${said}` : ""}`;
    if (address === location.pathname + location.search) return;
    // Typing on, or moving on through time, replaces: one step back leaves the search or the past.
    const on = ["q", "as_of"].some((name) => said.has(name) && here().has(name) && said.get(name) !== here().get(name));
    history[on ? "replaceState" : "pushState"](null, "", address);
    follow();
  };
  const change = (values) => {
    const next = here();
    next.delete("q");
    for (const [name, value] of Object.entries(values)) next.set(name, value);
    go(next);
  };
  const follow = async () => {
    fields();
    canvas?.select(chosen(), places.pins);
    await Promise.all([htmx.ajax("GET", location.pathname + location.search, { target: side }), sync()]);
    mark();
  };

  // The filters' fields say what the address says, also after going back.
  function fields() {
    const said = here();
    for (const field of form.querySelectorAll("select[name], input[name]:not([type=hidden])")) {
      if (field.name === "q" && field === document.activeElement) continue;
      field.value = said.get(field.name) ?? { depth: "1", nodes: "300" }[field.name] ?? "";
    }
    slider.show(said.get("as_of") ?? "");
  }
  const slider = moments(picture, (as_of) => change({ as_of }));

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-view]");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || !view.contains(link)) return;
    event.preventDefault();
    go(new URL(link.href).searchParams);
  });
  let waiting = 0;
  const search = () => {
    clearTimeout(waiting);
    change({ q: form.elements.q.value.trim() });
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    search();
  });
  form.addEventListener("input", ({ target }) => {
    if (target.name !== "q") return;
    clearTimeout(waiting);
    waiting = setTimeout(search, PAUSE);
  });
  form.addEventListener("change", ({ target }) => {
    if (target.name && target.name !== "q") change({ [target.name]: defaulted(target) });
  });
  side.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-path]")) return;
    event.preventDefault();
    change({ to: new FormData(event.target).get("to") });
  });
  side.addEventListener("click", (event) => {
    const button = event.target.closest("[data-pin]");
    if (!button || !places) return;
    places.pin(button.dataset.pin, !places.pins.has(button.dataset.pin));
    mark();
  });
  window.addEventListener("popstate", follow);

  try {
    const [{ draw }, { arrange }, kept] = await Promise.all(["canvas", "arranging", "places"].map((name) => import(view.dataset[name])));
    places = kept.open(view.dataset.bank);
    picture.hidden = false;
    canvas = await draw(picture.querySelector("[data-stage]"), view.dataset, {
      choose: (select) => change({ select }),
      expand,
      place(id) {
        places.pin(id, true);
        places.keep(canvas.graph);
        mark();
      },
    });
    const says = picture.querySelector("[data-working]");
    const layout = arrange(view, canvas, places, kept.seed, says);
    sync = async () => {
      const wanted = new URLSearchParams([...here()].filter(([name]) => DRAWN.includes(name)));
      const missing = chosen() && !canvas.graph.hasNode(chosen());
      if (drawn !== String(wanted) || missing) {
        drawn = String(wanted);
        const columns = await load(`${view.dataset.data}${location.search}`);
        if (drawn !== String(wanted)) return;
        if (columns === null) {
          // Asked for again with the next change; the list beside it says what is wrong.
          drawn = null;
          says.textContent = "The picture could not be loaded.";
          return;
        }
        picture.querySelector("[data-empty]").hidden = columns.nodes.length > 0;
        layout.run(columns, chosen());
      }
      mark();
    };
    controls(picture, canvas, { again: () => layout.again(), expand: () => chosen() && expand(chosen()), release: () => change({ select: "", to: "" }) });
  } catch {
    // No WebGL: the list beside it is the whole graph.
    picture.hidden = true;
  }
  fields();
  await sync();
  view.dataset.ready = "";

  function expand(id) {
    const ids = new Set((here().get("expand") ?? "").split(",").filter(Boolean));
    ids.add(id);
    change({ expand: [...ids].slice(-EXPANDED).join(","), select: id });
  }
  function mark() {
    canvas?.select(chosen(), places.pins);
    const button = side.querySelector("[data-pin]");
    if (!button || !canvas) return;
    const on = places.pins.has(button.dataset.pin);
    button.hidden = false;
    button.setAttribute("aria-pressed", String(on));
    button.querySelector("[data-pin-label]").textContent = on ? "Unpin" : "Pin";
  }
}

let sync = async () => {};

async function load(address) {
  try {
    const answer = await fetch(address, { headers: { Accept: "application/json" } });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

function defaulted({ name, value }) {
  return { depth: "1", nodes: "300" }[name] === value ? "" : value;
}
