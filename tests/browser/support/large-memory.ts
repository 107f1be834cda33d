/** A large deterministic memory: a few entities have many relations, most have few, within groups. */
import { seededRandom } from 'limbic-shell/seeded-random.ts';
import type { Page } from 'playwright-core';

const BATCH = 1000;
const TYPES = ['Project', 'Service', 'Person', 'Decision', 'Incident', 'Library', 'Session', 'Team', 'Place'];
const RELATION_TYPES = ['uses', 'depends_on', 'owns', 'decided', 'part_of'];

interface EntityRow {
  readonly name: string;
  readonly entityType: string;
  readonly observations: string[];
}

interface RelationRow {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

/** Fills the memory of a page through its tools. */
export async function fillLarge(page: Page, entities: number, relations: number): Promise<void> {
  await page.evaluate(
    async (batches) => {
      for (const entities of batches) {
        const answer = await window.limbic.call('create_entities', { entities });
        if (!answer.ok) throw new Error(answer.text);
      }
    },
    batchesOf(entityRows(entities)),
  );
  await page.evaluate(
    async (batches) => {
      for (const relations of batches) {
        const answer = await window.limbic.call('create_relations', { relations });
        if (!answer.ok) throw new Error(answer.text);
      }
    },
    batchesOf(relationRows(entities, relations)),
  );
}

function batchesOf<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / BATCH) }, (_, index) =>
    rows.slice(index * BATCH, (index + 1) * BATCH),
  );
}

function entityRows(count: number): EntityRow[] {
  return Array.from({ length: count }, (_, index) => ({
    name: nameOf(index),
    entityType: typeOf(index),
    observations: [`a fact about ${index}`],
  }));
}

function relationRows(entities: number, count: number): RelationRow[] {
  const random = seededRandom(7);
  const known = new Set<string>();
  const rows: RelationRow[] = [];
  while (rows.length < count) {
    const from = Math.floor(random() * entities);
    // Most relations lead to one group of a hundred, some to hubs.
    const near = Math.min(entities - 1, Math.floor(from / 100) * 100 + Math.floor(random() * 100));
    const to = random() < 0.75 ? near : Math.floor(random() ** 3 * entities);
    if (from === to || known.has(`${from}>${to}`)) continue;
    known.add(`${from}>${to}`);
    rows.push({
      from: nameOf(from),
      to: nameOf(to),
      relationType: RELATION_TYPES[known.size % RELATION_TYPES.length] ?? '',
    });
  }
  return rows;
}

function nameOf(index: number): string {
  return `${typeOf(index)} ${index}`;
}

function typeOf(index: number): string {
  return TYPES[Math.floor((index % 97) ** 1.4) % TYPES.length] ?? '';
}
