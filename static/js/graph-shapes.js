// Sigma's own shapes with every corner spelled out. Sigma draws each entity and each relation as an
// instance, and without a graphics card instances are drawn one after another: 5,000 circles took 400 ms
// of a processor, as one list of corners they take a twentieth.
function spelledOut(Shape) {
  return class extends Shape {
    getDefinition() {
      const { CONSTANT_ATTRIBUTES, CONSTANT_DATA, ...shape } = super.getDefinition();
      return { ...shape, ATTRIBUTES: [...shape.ATTRIBUTES, ...CONSTANT_ATTRIBUTES] };
    }
    processVisibleItem(index, start, ...data) {
      super.processVisibleItem(index, start, ...data);
      this.corners ??= super.getDefinition().CONSTANT_DATA;
      const { array, corners, ATTRIBUTES_ITEMS_COUNT: width } = this;
      const shared = width - corners[0].length;
      for (let corner = 0, to = start; corner < corners.length; corner += 1, to += width) {
        for (let at = 0; at < shared; at += 1) array[to + at] = array[start + at];
        for (let at = shared; at < width; at += 1) array[to + at] = corners[corner][at - shared];
      }
    }
  };
}

// While the picture moves nobody points at anything, so that what is drawn to tell what lies under the
// pointer can wait; `bare` says that edges wait as well.
export function shapes(kit, { moving, bare }) {
  class Circle extends spelledOut(kit.NodeCircleProgram) {
    render(params) {
      const { pickProgram } = this;
      if (moving()) this.pickProgram = null;
      super.render(params);
      this.pickProgram = pickProgram;
    }
  }
  const edge = (Shape) =>
    class extends spelledOut(Shape) {
      render(params) {
        if (!(bare() && moving())) super.render(params);
      }
    };
  const [line, shaft, head] = [kit.EdgeRectangleProgram, kit.EdgeClampedProgram, kit.EdgeArrowHeadProgram].map(edge);
  return {
    nodeProgramClasses: { circle: Circle },
    edgeProgramClasses: { line, arrow: kit.createEdgeCompoundProgram([shaft, head]) },
  };
}
