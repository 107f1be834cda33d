import type Graph from 'graphology';

/** The index of each node's connected component, from 0. */
export function componentsOf(graph: Graph, keys: readonly string[]): Int32Array {
  const found = new Map<string, number>();
  let count = 0;
  for (const start of keys) {
    if (found.has(start)) continue;
    found.set(start, count);
    for (let open = [start], key = open.pop(); key !== undefined; key = open.pop()) {
      graph.forEachNeighbor(key, (next) => {
        if (found.has(next)) return;
        found.set(next, count);
        open.push(next);
      });
    }
    count += 1;
  }
  return Int32Array.from(keys, (key) => found.get(key) ?? 0);
}
