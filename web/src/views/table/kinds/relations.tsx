import { CircleSlash, Trash2 } from 'lucide-react';
import { deleteRelations, endRelations } from '../../../mutations/bulk.ts';
import type { RelationRow } from '../../../source/explorer-tools.ts';
import { countColumn, State, textColumn, timeColumn } from '../cells.tsx';
import type { RecordKind } from '../record-kind.ts';
import { named } from '../options.ts';

export const relations: RecordKind<RelationRow> = {
  id: 'relations',
  title: 'Relations',
  one: 'relation',
  many: 'relations',
  order: { column: 'created_at', descending: true },
  columns: [
    textColumn('from', 'From', ({ from }) => from, { minWidth: 150, share: 1.4 }),
    textColumn('relationType', 'Relation', ({ relationType }) => relationType, { minWidth: 110, share: 0.8 }),
    textColumn('to', 'To', ({ to }) => to, { minWidth: 150, share: 1.4 }),
    textColumn('context', 'Context', ({ context }) => context, { minWidth: 150, share: 2 }),
    countColumn('weight', 'Weight', ({ weight }) => weight),
    {
      id: 'active',
      title: 'Status',
      minWidth: 96,
      show: ({ active }) => (active ? <State word="active" /> : <State word="ended" variant="past" />),
      text: ({ active }) => (active ? 'active' : 'ended'),
    },
    timeColumn('ended_at', 'Ended', ({ ended_at }) => ended_at),
    timeColumn('created_at', 'Created', ({ created_at }) => created_at),
  ],
  filters: [
    { name: 'relationType', title: 'Relation', options: ({ relation_types }) => named(relation_types) },
    {
      name: 'status',
      title: 'Status',
      options: ({ counts }) => [
        { id: 'active', title: 'active', count: counts.relations },
        { id: 'ended', title: 'ended', count: counts.ended },
      ],
    },
    {
      name: 'type',
      title: 'Entity type',
      options: ({ entity_types }) => named(entity_types).map(({ id, title }) => ({ id, title })),
    },
  ],
  actions: [
    {
      title: 'End',
      icon: CircleSlash,
      undoText: 'Undo creates them again with today’s date.',
      fits: ({ active }) => active,
      run: endRelations,
    },
    { title: 'Delete', icon: Trash2, isDanger: true, fits: () => true, run: deleteRelations },
  ],
  count: ({ relations: active, ended }) => active + ended,
  names: ({ from, to }) => [from, to],
  isPast: ({ active }) => !active,
};
