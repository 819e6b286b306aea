// The layout's worker: asked anew for each picture; an answer to an older question is dropped.
export function arrange(view, canvas, places, seed, says) {
  const worker = new Worker(view.dataset.worker, { type: "module" });
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let asked = 0;
  let latest = null;
  worker.onmessage = ({ data }) => {
    if (data.id !== asked) return;
    const began = performance.now();
    canvas.place(data.positions);
    // Drawn in the next frame: only after it is known what that took.
    if (!data.done) return void requestAnimationFrame(() => setTimeout(() => worker.postMessage({ took: performance.now() - began })));
    says.textContent = "";
    places.keep(canvas.graph);
    view.dataset.laid = String(asked);
  };
  const run = (columns, chosen) => {
    latest = columns;
    asked += 1;
    const fresh = canvas.fill(columns, (graph) => seed(graph, places, columns), chosen, places.pins);
    if (fresh === 0) {
      says.textContent = "";
      view.dataset.laid = String(asked);
      return;
    }
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
    const question = { id: asked, forces: view.dataset.forces, nodes, edges, rounds, settle, calm: calm.matches };
    worker.postMessage(question, [nodes.buffer, edges.buffer]);
  };
  return {
    run,
    again() {
      places.forget();
      if (latest) run(latest, canvas.chosen);
    },
  };
}
