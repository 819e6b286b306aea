// The graph page: the address is the view. Links, filters and the canvas all change the address; the
// picture and the list follow it, also on the way back.
const view = document.getElementById("graph-view");
const DRAWN = ["focus", "depth", "nodes", "type", "relation", "author", "since", "until", "as_of", "expand", "to"];
const EXPANDED = 20;
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
    history.pushState(null, "", address);
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
    await htmx.ajax("GET", location.pathname + location.search, { target: side });
    await sync();
  };

  // The filters' fields say what the address says, also after going back.
  function fields() {
    const said = here();
    for (const field of form.querySelectorAll("select[name], input[name]:not([type=hidden])")) {
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
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    change({ q: form.elements.q.value });
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
    const [{ draw }, kept] = await Promise.all([import(view.dataset.canvas), import(view.dataset.places)]);
    places = kept.open(view.dataset.bank);
    picture.hidden = false;
    canvas = await draw(picture.querySelector("[data-stage]"), view.dataset.sigma, {
      choose: (select) => change({ select }),
      expand,
      place(id) {
        places.pin(id, true);
        places.keep(canvas.graph);
        mark();
      },
    });
    const layout = arrange(view, canvas, places, kept.seed, picture.querySelector("[data-working]"));
    sync = async () => {
      const wanted = new URLSearchParams([...here()].filter(([name]) => DRAWN.includes(name)));
      const missing = chosen() && !canvas.graph.hasNode(chosen());
      if (drawn !== String(wanted) || missing) {
        drawn = String(wanted);
        const answer = await fetch(`${view.dataset.data}${location.search}`, { headers: { Accept: "application/json" } });
        if (!answer.ok || drawn !== String(wanted)) return;
        const columns = await answer.json();
        canvas.fill(columns);
        picture.querySelector("[data-empty]").hidden = columns.nodes.length > 0;
        layout.run(columns);
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

function defaulted({ name, value }) {
  return { depth: "1", nodes: "300" }[name] === value ? "" : value;
}

// The layout's worker: asked anew for each picture; an answer to an older question is dropped.
function arrange(view, canvas, places, seed, says) {
  const worker = new Worker(view.dataset.worker, { type: "module" });
  let asked = 0;
  let latest = null;
  worker.onmessage = ({ data }) => {
    if (data.id !== asked) return;
    let at = 0;
    const moved = { attributes: ["x", "y"] };
    canvas.graph.updateEachNodeAttributes((_, node) => {
      node.x = data.positions[at++];
      node.y = data.positions[at++];
      return node;
    }, moved);
    if (!data.done) return;
    says.textContent = "";
    places.keep(canvas.graph);
    view.dataset.laid = String(asked);
  };
  const run = (columns) => {
    latest = columns;
    asked += 1;
    const fresh = seed(canvas.graph, places, columns);
    canvas.renderer.refresh();
    if (fresh === 0) return void (says.textContent = "");
    says.textContent = "Laying out…";
    const settle = fresh < columns.nodes.length / 2;
    const nodes = new Float32Array(columns.nodes.length * 10);
    columns.nodes.forEach(([id], index) => {
      const { x, y, size, known } = canvas.graph.getNodeAttributes(id);
      const fixed = places.pins.has(id) || (settle && known) ? 1 : 0;
      nodes.set([x, y, 0, 0, 0, 0, 1 + canvas.graph.degree(id), 1, size, fixed], index * 10);
    });
    const edges = new Float32Array(columns.edges.flatMap(([source, target, , weight]) => [source * 10, target * 10, Math.min(weight, 5)]));
    const rounds = settle ? 80 : columns.nodes.length > 1500 ? 220 : 400;
    const parts = columns.nodes.map((one) => (settle ? 0 : one[5]));
    worker.postMessage({ id: asked, forces: view.dataset.forces, nodes, edges, rounds, parts }, [nodes.buffer, edges.buffer]);
  };
  return {
    run,
    again() {
      places.forget();
      if (latest) canvas.graph.forEachNode((id) => canvas.graph.setNodeAttribute(id, "known", false));
      if (latest) run(latest);
    },
  };
}
