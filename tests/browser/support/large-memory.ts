/** A large deterministic memory: a few entities have many relations, most have few, within groups. */
import type { Page } from 'playwright-core';

/** Fills the memory of a page through its tools. */
export function fillLarge(page: Page, entities: number, relations: number): Promise<void> {
  return page.evaluate(
    async ({ entities, relations }) => {
      const batch = 1000;
      const types = ['Project', 'Service', 'Person', 'Decision', 'Incident', 'Library', 'Session', 'Team', 'Place'];
      const relationTypes = ['uses', 'depends_on', 'owns', 'decided', 'part_of'];
      // As limbic-shell/seeded-random.ts: a function that the page evaluates cannot use imports.
      let state = 7;
      const random = (): number => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 0x1_0000_0000;
      };
      const nameOf = (index: number): string => `${types[Math.floor((index % 97) ** 1.4) % types.length]} ${index}`;
      for (let start = 0; start < entities; start += batch) {
        const rows = Array.from({ length: Math.min(batch, entities - start) }, (_, offset) => ({
          name: nameOf(start + offset),
          entityType: types[Math.floor(((start + offset) % 97) ** 1.4) % types.length],
          observations: [`a fact about ${start + offset}`],
        }));
        const answer = await window.limbic.call('create_entities', { entities: rows });
        if (!answer.ok) throw new Error(answer.text);
      }
      const known = new Set<string>();
      while (known.size < relations) {
        const rows: { from: string; to: string; relationType: string }[] = [];
        while (rows.length < batch && known.size < relations) {
          const from = Math.floor(random() * entities);
          // Most relations lead to one group of a hundred, some to hubs.
          const near = Math.min(entities - 1, Math.floor(from / 100) * 100 + Math.floor(random() * 100));
          const to = random() < 0.75 ? near : Math.floor(random() ** 3 * entities);
          if (from === to || known.has(`${from}>${to}`)) continue;
          known.add(`${from}>${to}`);
          rows.push({
            from: nameOf(from),
            to: nameOf(to),
            relationType: relationTypes[known.size % relationTypes.length] ?? '',
          });
        }
        const answer = await window.limbic.call('create_relations', { relations: rows });
        if (!answer.ok) throw new Error(answer.text);
      }
    },
    { entities, relations },
  );
}
