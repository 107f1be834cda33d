/** A memory whose graph has communities. */
import type { Page } from 'playwright-core';
import { plantedGraph } from '../../../web/tests/planted-graph.ts';
import { ask } from './memory.ts';

const BATCH = 500;

/** Stores a planted graph of this many entities through the page's tools. */
export async function fillCommunities(page: Page, order: number, communities?: number): Promise<void> {
  const { nodes, edges } = plantedGraph(order, communities);
  for (let start = 0; start < nodes.length; start += BATCH) {
    const entities = nodes.slice(start, start + BATCH).map(({ name, type }) => ({ name, entityType: type }));
    await ask(page, 'create_entities', { entities });
  }
  const nameOf = (index: number): string => nodes[index]?.name ?? '';
  for (let start = 0; start < edges.length; start += BATCH) {
    const relations = edges
      .slice(start, start + BATCH)
      .map(([from, to]) => ({ from: nameOf(from), to: nameOf(to), relationType: 'depends_on' }));
    await ask(page, 'create_relations', { relations });
  }
}
