/** A small memory with everything in it that views show: history, reflections, ended relations, use, and hostile texts. */
import type { Page } from 'playwright-core';
import { ask } from './memory.ts';

/** Texts that would do something if they were taken for HTML, an address or a template. Each sets `hacked`, if it can. */
export const HOSTILE = [
  '<img src=x onerror="window.hacked=1">',
  '"><script>window.hacked=1</script>',
  "' onmouseover='window.hacked=1' x='",
  'javascript:window.hacked=1//',
  '<style>*{display:none}</style>',
  '<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  '{{constructor.constructor("window.hacked=1")()}}',
  '${window.hacked=1}',
  '\u202Egnp.exe,%2C#/?sel=&q=%00',
  `${'long '.repeat(60)}name`,
  '👩‍👩‍👧‍👦 e\u0301\u0301\u0301 \u0000 \u0007',
];

const PROJECTS = ['Atlas', 'Borealis', 'Cinder', 'Drift', 'Ember', 'Fathom'];
const PEOPLE = ['Ines', 'Bruno', 'Chiara', 'Dmitri'];

/** Fills the memory of a page by way of its tools. */
export async function fillSmall(page: Page): Promise<void> {
  await ask(page, 'create_entities', {
    entities: [
      ...PROJECTS.map((name, index) => ({
        name,
        entityType: 'Project',
        status: index === 3 ? 'pausado' : 'activo',
        observations: [`${name} stores its data in SQLite`, `${name} is written in Rust and TypeScript`, `The first release of ${name} was in March`],
      })),
      ...PEOPLE.map((name) => ({ name, entityType: 'Person', observations: [`${name} works on ${PROJECTS.slice(0, 2).join(' and ')}`] })),
    ],
  });
  // What is hostile everywhere: names, types, statuses, observations, kinds, relation types, contexts, authors, moods.
  for (const text of HOSTILE) {
    const name = text.replaceAll('\u0000', '').trim();
    await ask(page, 'create_entities', { entities: [{ name, entityType: name.slice(0, 80), status: 'activo', observations: [`${name} as an observation`] }] });
    await ask(page, 'create_relations', { relations: [{ from: 'Atlas', to: name, relationType: name.slice(0, 80), context: name }] });
    await ask(page, 'add_reflection', { target_type: 'global', content: name, author: name.slice(0, 40), mood: name.slice(0, 40) });
  }
  const relations = [
    ...PROJECTS.slice(1).map((to) => ({ from: 'Atlas', to, relationType: 'depends_on' })),
    ...PEOPLE.map((from) => ({ from, to: 'Atlas', relationType: 'works_on', context: 'since spring', weight: 0.5 })),
    { from: 'Borealis', to: 'Cinder', relationType: 'uses' },
  ];
  const made = await ask(page, 'create_relations', { relations });
  const last = made.relations.at(-1)?.id;
  if (last !== undefined) await ask(page, 'end_relation', { relation_id: last });
  const { added } = await ask(page, 'add_observations', { name: 'Atlas', observations: ['Atlas runs on the small cluster'] });
  await ask(page, 'add_observations', { name: 'Atlas', observations: ['Atlas runs on the large cluster'], kind: 'milestone', supersedes: added?.[0]?.id });
  await ask(page, 'add_reflection', { target_type: 'global', content: 'Most trouble came from clocks.', author: 'sofia', mood: 'insight' });
  for (const query of ['where is data stored', 'who works on Atlas', 'cluster']) await ask(page, 'search_semantic', { query });
}
