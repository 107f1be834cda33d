import type { ReflectionRow } from '../../../source/explorer-tools.ts';
import { textColumn, timeColumn } from '../cells.tsx';
import type { RecordKind } from '../record-kind.ts';
import { named, words } from '../options.ts';

/** Reflections; no tool changes or deletes them, they are deleted with their target. */
export const reflections: RecordKind<ReflectionRow> = {
  id: 'reflections',
  title: 'Reflections',
  one: 'reflection',
  many: 'reflections',
  order: { column: 'created_at', descending: true },
  columns: [
    textColumn('content', 'Text', ({ content }) => content, { minWidth: 260, share: 4 }),
    textColumn('target_type', 'Target type', ({ target_type }) => target_type, { minWidth: 88 }),
    textColumn('target', 'Target', ({ target }) => target, { minWidth: 150, share: 1.4 }),
    textColumn('author', 'Author', ({ author }) => author, { minWidth: 104 }),
    textColumn('mood', 'Mood', ({ mood }) => mood, { minWidth: 112 }),
    timeColumn('created_at', 'Created', ({ created_at }) => created_at),
  ],
  filters: [
    { name: 'target_type', title: 'Target type', options: () => words('entity', 'relation', 'session', 'global') },
    { name: 'author', title: 'Author', options: ({ authors }) => named(authors) },
  ],
  actions: [],
  count: ({ reflections: count }) => count,
  names: ({ target_type, target }) => (target_type === 'entity' && target !== undefined ? [target] : []),
  isPast: () => false,
};
