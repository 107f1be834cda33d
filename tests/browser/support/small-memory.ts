/**
 * A small memory with everything that views show: history, reflections, ended relations, accesses, memories, hostile
 * texts.
 */
import type { Page } from 'playwright-core';
import { ask } from './memory.ts';

/** Texts that set `hacked` if they are interpreted as HTML, an address or a template. */
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

/** Fills the memory of a page through its tools. */
export async function fillSmall(page: Page): Promise<void> {
  await ask(page, 'create_entities', {
    entities: [
      ...PROJECTS.map((name, index) => ({
        name,
        entityType: 'Project',
        status: index === 3 ? 'pausado' : 'activo',
        observations: [
          `${name} stores its data in SQLite`,
          `${name} is written in Rust and TypeScript`,
          `The first release of ${name} was in March`,
        ],
      })),
      ...PEOPLE.map((name) => ({
        name,
        entityType: 'Person',
        observations: [`${name} works on ${PROJECTS.slice(0, 2).join(' and ')}`],
      })),
    ],
  });
  // Hostile texts in every field: names, types, statuses, observations, kinds, relation types, contexts, authors,
  // moods.
  for (const text of HOSTILE) {
    const name = text.replaceAll('\u0000', '').trim();
    await ask(page, 'create_entities', {
      entities: [
        { name, entityType: name.slice(0, 80), status: 'activo', observations: [`${name} as an observation`] },
      ],
    });
    await ask(page, 'create_relations', {
      relations: [{ from: 'Atlas', to: name, relationType: name.slice(0, 80), context: name }],
    });
    await ask(page, 'add_reflection', {
      target_type: 'global',
      content: name,
      author: name.slice(0, 40),
      mood: name.slice(0, 40),
    });
  }
  const relations = [
    ...PROJECTS.slice(1).map((to) => ({ from: 'Atlas', to, relationType: 'depends_on' })),
    ...PEOPLE.map((from) => ({ from, to: 'Atlas', relationType: 'works_on', context: 'since spring', weight: 0.5 })),
    { from: 'Borealis', to: 'Cinder', relationType: 'uses' },
  ];
  const made = await ask(page, 'create_relations', { relations });
  const last = made.relations.at(-1)?.id;
  if (last !== undefined) await ask(page, 'end_relation', { relation_id: last });
  const { added } = await ask(page, 'add_observations', {
    name: 'Atlas',
    observations: ['Atlas runs on the small cluster'],
  });
  await ask(page, 'add_observations', {
    name: 'Atlas',
    observations: ['Atlas runs on the large cluster'],
    kind: 'milestone',
    supersedes: added?.[0]?.id,
  });
  await ask(page, 'add_reflection', {
    target_type: 'global',
    content: 'Most trouble came from clocks.',
    author: 'sofia',
    mood: 'insight',
  });
  await fillMemories(page);
  for (const query of ['where is data stored', 'who works on Atlas', 'cluster'])
    await ask(page, 'search_semantic', { query });
}

/** Stores memories of two domains, linked, changed, ended, contradicted and accessed, with every field set. */
async function fillMemories(page: Page): Promise<void> {
  await ask(page, 'create_domain', { id: 'atlas', name: 'Project Atlas' });
  await ask(page, 'create_domain', { id: 'hostile', name: HOSTILE[0] ?? '' });
  await ask(page, 'memory_store', {
    id: 'postgres',
    content: 'Atlas should move to a database server soon',
    category: 'fact',
    subject: 'storage',
    confidence: 0.4,
  });
  // An undone deletion restores times in seconds: what contradicts this one must be later in these.
  await page.waitForTimeout(1100);
  await ask(page, 'memory_store', {
    memories: [
      {
        id: 'sqlite',
        content: 'We keep SQLite for Atlas: one file, no server.\nThe benchmark of March decided it.',
        category: 'decision',
        subject: 'storage',
        tags: ['storage', 'sqlite'],
        importance: 4,
        source: 'the meeting of March',
        metadata: { ticket: 12, people: ['Ines', 'Bruno'] },
      },
      {
        id: 'commits',
        content: 'Ines prefers short commit messages in the present tense',
        category: 'preference',
        user_id: 'ines',
        pinned: true,
        tier: 'l0',
      },
      { id: 'deploys', content: 'Deploys go out on Tuesdays only', category: 'convention', memory_type: 'procedural' },
      { id: 'freeze', content: 'No deploys in the week of the audit', category: 'convention', entities: ['Atlas'] },
      { id: 'backup', content: 'The nightly backup takes ten minutes', domain: 'atlas' },
      {
        id: 'restore',
        content: 'A restore was tried in April and took an hour',
        domain: 'atlas',
        event_time: '2026-04-12',
        memory_type: 'episodic',
      },
    ],
  });
  await ask(page, 'memory_update', {
    id: 'backup',
    content: 'The nightly backup takes twenty minutes',
    reason: 'it was measured',
  });
  const links = [
    ['freeze', 'deploys', 'refines', 0.8],
    ['restore', 'backup', 'supports', 0.5],
    ['sqlite', 'postgres', 'contradicts', 1],
    ['sqlite', 'backup', 'related', 1],
  ] as const;
  for (const [from_id, to_id, type, strength] of links)
    await ask(page, 'memory_link', { from_id, to_id, type, strength });
  await ask(page, 'memory_store', {
    id: 'mondays',
    content: 'The weekly meeting is on Mondays',
    expires_at: '2099-01-01',
  });
  await ask(page, 'memory_store', {
    id: 'thursdays',
    content: 'From May on the team meets every Thursday',
    pinned: true,
  });
  await ask(page, 'memory_invalidate', {
    id: 'mondays',
    reason: 'it was moved to Thursdays',
    superseded_by: 'thursdays',
  });
  await ask(page, 'memory_recall', { query: 'when do deploys go out', domain: '*' });
  for (const [index, text] of HOSTILE.entries()) {
    const word = text.replaceAll('\u0000', '').trim();
    // Ids of users contain no hidden characters.
    const readable = word.replace(/[^\x20-\x7e]/g, '').trim();
    await ask(page, 'memory_store', {
      id: `hostile-${index}`,
      content: `${word} as a memory`,
      subject: word.slice(0, 80),
      source: word,
      tags: [word.slice(0, 40)],
      domain: 'hostile',
      user_id: readable === '' ? undefined : readable.slice(0, 40),
      metadata: { [word.slice(0, 20)]: word },
    });
    await ask(page, 'memory_link', {
      from_id: `hostile-${index}`,
      to_id: index === 0 ? 'sqlite' : 'hostile-0',
      type: 'related',
      description: index === 0 ? word : undefined,
    });
  }
}
