import type Graph from 'graphology';
import { resolveOverlapsInSteps, type Scale } from './resolve-overlaps.ts';
import { componentsOf } from './components.ts';
import { packComponents } from './pack-components.ts';
import {
  EDGE_FIELDS,
  NODE_CONVERGENCE,
  NODE_FIELDS,
  NODE_FIXED,
  NODE_MASS,
  NODE_SIZE,
  type ToLayout,
} from './layout-messages.ts';
import { startLayoutThread } from './layout-thread.ts';
import { isolatePositions } from './isolate-ring.ts';

/** Maximum number of nodes whose overlaps are resolved. */
const MAX_APART_NODES = 2000;
/** Time slice of resolving overlaps. */
const SLICE_MILLIS = 8;

/** Relative weight of an edge between two communities, compared with one within a community. */
const BRIDGE_WEIGHT = 0.2;

/** Runs the layout in a worker; then places isolated nodes around it and resolves overlaps. */
export class Layout {
  readonly #worker = startLayoutThread();
  readonly #onmoved: (isDone: boolean) => void;
  #id = 0;
  #isBroken = false;

  constructor(onmoved: (isDone: boolean) => void) {
    this.#onmoved = onmoved;
    this.#worker.onerror = () => {
      this.#isBroken = true;
      this.stop();
    };
  }

  /**
   * Starts a layout from the current positions or, with `startsAnew`, from the communities; a running layout is
   * cancelled. The picture is `stretch` times as wide as high, and `scaleOf` is its scale.
   */
  run(graph: Graph, fixed: ReadonlySet<string>, stretch: number, scaleOf: Scale, startsAnew: boolean): void {
    const id = ++this.#id;
    const keys = graph.filterNodes((key) => graph.degree(key) > 0);
    const lone = graph.filterNodes((key) => graph.degree(key) === 0 && !fixed.has(key));
    const indices = new Map([...keys, ...lone].map((key, index) => [key, index]));
    const parts = componentsOf(graph, keys);
    const move = (found: Float32Array, isDone: boolean): void => {
      // Fixed nodes keep their positions.
      const laid = fixed.size === 0 ? packComponents(found, parts) : found;
      const positions = [...laid, ...isolatePositions(laid, lone.length)];
      graph.updateEachNodeAttributes(
        (key, attributes) => {
          const index = indices.get(key);
          if (index === undefined || fixed.has(key)) return attributes;
          return { ...attributes, x: (positions[index * 2] ?? 0) * stretch, y: positions[index * 2 + 1] };
        },
        { attributes: ['x', 'y'] },
      );
      const isLast = isDone && graph.order > MAX_APART_NODES;
      this.#onmoved(isLast);
      if (isDone && !isLast) void this.#resolveOverlaps(graph, fixed, scaleOf, id);
    };
    if (keys.length === 0) {
      move(new Float32Array(), true);
      return;
    }
    if (this.#isBroken) {
      this.stop();
      return;
    }
    const { nodes, edges, communities } = tables(graph, keys, fixed, stretch);
    this.#worker.onmessage = ({ data }) => {
      if (data.id === this.#id) move(data.positions, data.isDone);
    };
    this.#worker.postMessage(
      // Fixed nodes could be far from the start positions of their communities.
      { id, nodes, edges, communities, startsAnew: startsAnew && fixed.size === 0 } satisfies ToLayout,
      [nodes.buffer, edges.buffer, communities.buffer],
    );
  }

  /** Stops the layout. */
  stop(): void {
    this.#id += 1;
    this.#onmoved(true);
  }

  end(): void {
    this.#id += 1;
    this.#worker.terminate();
  }

  /** Resolves overlaps in slices; a new layout cancels it. */
  async #resolveOverlaps(graph: Graph, fixed: ReadonlySet<string>, scaleOf: Scale, id: number): Promise<void> {
    const keys = graph.nodes();
    const positions = keys.flatMap((key) => [
      graph.getNodeAttribute(key, 'x') as number,
      graph.getNodeAttribute(key, 'y') as number,
    ]);
    const steps = resolveOverlapsInSteps(
      Float32Array.from(positions),
      keys.map((key) => graph.getNodeAttribute(key, 'size') as number),
      scaleOf,
    );
    let sliceMillis = performance.now();
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) {
      if (performance.now() - sliceMillis < SLICE_MILLIS) continue;
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (id !== this.#id) return;
      sliceMillis = performance.now();
    }
    const found = step.value;
    const indices = new Map(keys.map((key, index) => [key, index]));
    graph.updateEachNodeAttributes(
      (key, attributes) => {
        const index = indices.get(key);
        return index === undefined || fixed.has(key)
          ? attributes
          : { ...attributes, x: found[index * 2], y: found[index * 2 + 1] };
      },
      { attributes: ['x', 'y'] },
    );
    this.#onmoved(true);
  }
}

/** The tables of a layout of these nodes: `x` is divided by `stretch`, nodes in `fixed` stay. */
export function tables(graph: Graph, keys: readonly string[], fixed: ReadonlySet<string>, stretch: number) {
  const nodes = new Float32Array(keys.length * NODE_FIELDS);
  const edges = new Float32Array(graph.size * EDGE_FIELDS);
  const numbers = new Map<unknown, number>();
  const communities = Int32Array.from(keys, (key) => {
    const community: unknown = graph.getNodeAttribute(key, 'community');
    numbers.set(community, numbers.get(community) ?? numbers.size);
    return numbers.get(community) ?? 0;
  });
  const offsets = new Map<string, number>();
  keys.forEach((key, index) => {
    const offset = index * NODE_FIELDS;
    offsets.set(key, offset);
    nodes[offset] = (graph.getNodeAttribute(key, 'x') as number) / stretch;
    nodes[offset + 1] = graph.getNodeAttribute(key, 'y') as number;
    nodes[offset + NODE_MASS] = 1 + graph.degree(key);
    nodes[offset + NODE_CONVERGENCE] = 1;
    nodes[offset + NODE_SIZE] = 1;
    nodes[offset + NODE_FIXED] = fixed.has(key) ? 1 : 0;
  });
  let offset = 0;
  graph.forEachEdge((_key, _attributes, source, target) => {
    edges[offset] = offsets.get(source) ?? 0;
    edges[offset + 1] = offsets.get(target) ?? 0;
    edges[offset + 2] =
      graph.getNodeAttribute(source, 'community') === graph.getNodeAttribute(target, 'community') ? 1 : BRIDGE_WEIGHT;
    offset += EDGE_FIELDS;
  });
  return { nodes, edges, communities };
}
