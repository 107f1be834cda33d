/**
 * Memories with everything that lists show: two domains, every state, contradictions, accesses, links, hostile texts.
 */
import type { Page } from 'playwright-core';
import type { MemoryRow } from '../../../web/src/source/explorer-tools.ts';
import { ask } from './memory.ts';
import { HOSTILE } from './small-memory.ts';

/** Fills the memory of a page through its tools. Ids are words, so that tests can name them. */
export async function fillMemories(page: Page): Promise<void> {
  await ask(page, 'create_entities', {
    entities: [{ name: 'Atlas', entityType: 'Project', observations: ['Atlas watches the house'] }],
  });
  await ask(page, 'create_domain', { id: 'atlas', name: 'Atlas' });
  await ask(page, 'memory_store', {
    memories: [
      {
        id: 'siren',
        content: 'The siren of Atlas rings when the internet is down',
        category: 'fact',
        subject: 'alarms',
        tags: ['siren'],
        importance: 4,
        entities: ['Atlas'],
      },
      { id: 'friday', content: 'Deploys go out on Fridays only', category: 'convention', confidence: 0.4 },
      { id: 'tuesday', content: 'Deploys go out on Tuesdays only', category: 'convention', confidence: 0.9 },
      { id: 'postgres', content: 'We keep Postgres: one server, no file', category: 'decision', confidence: 0.7 },
      { id: 'sqlite', content: 'We keep SQLite: one file, no server', category: 'decision', importance: 2 },
      {
        id: 'commits',
        content: 'Ines prefers short commit messages',
        category: 'preference',
        pinned: true,
        user_id: 'ines',
      },
      { id: 'elsewhere', content: 'The other project lives in another domain', domain: 'atlas', summary: 'elsewhere' },
      { id: 'moved', content: 'The office is in Dublin', category: 'fact' },
      ...HOSTILE.map((text, index) => ({
        id: `hostile-${index}`,
        content: text.replaceAll('\u0000', ''),
        subject: text.replaceAll('\u0000', '').slice(0, 60),
        tags: [text.replaceAll('\u0000', '').slice(0, 40)],
      })),
    ],
  });
  await ask(page, 'memory_link', { from_id: 'tuesday', to_id: 'friday', type: 'contradicts', strength: 0.9 });
  await ask(page, 'memory_link', { from_id: 'sqlite', to_id: 'postgres', type: 'contradicts', strength: 0.5 });
  await ask(page, 'memory_link', { from_id: 'siren', to_id: 'sqlite', type: 'refines', strength: 0.6 });
  await ask(page, 'memory_link', {
    from_id: 'siren',
    to_id: 'elsewhere',
    type: 'supports',
    description: HOSTILE[0] ?? '',
  });
  await ask(page, 'memory_update', { id: 'sqlite', content: 'We keep SQLite: one file and no server' });
  await ask(page, 'memory_invalidate', { id: 'moved', reason: 'They moved to Lisbon' });
  await ask(page, 'memory_recall', { query: 'commit messages', domain: '*' });
  await ask(page, 'memory_store', { id: 'gone', content: 'This is soon forgotten' });
  await ask(page, 'memory_forget', { id: 'gone', reason: 'It was a try' });
}

/** A memory as the table shows it, or nothing. */
export async function memoryOf(page: Page, id: string): Promise<MemoryRow | undefined> {
  const { rows } = await ask(page, 'explore_records', { kind: 'memories', filter: { id } });
  return (rows as readonly MemoryRow[])[0];
}
