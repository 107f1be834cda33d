import { Trash2 } from 'lucide-react';
import { deleteObservations } from '../../../mutations/bulk.ts';
import type { ObservationRow } from '../../../source/explorer-tools.ts';
import { State, textColumn, timeColumn } from '../cells.tsx';
import type { Column, RecordKind } from '../record-kind.ts';
import { named } from '../options.ts';

const status: Column<ObservationRow> = {
  id: 'superseded_at',
  title: 'Status',
  minWidth: 112,
  show: ({ superseded_at, similarity_flag }) => {
    if (superseded_at !== undefined) return <State word="superseded" variant="past" />;
    return similarity_flag === 0 ? <State word="current" /> : <State word="near-duplicate" variant="warn" />;
  },
  text: ({ superseded_at, similarity_flag }) =>
    superseded_at !== undefined ? 'superseded' : similarity_flag === 0 ? 'current' : 'near-duplicate',
};

export const observations: RecordKind<ObservationRow> = {
  id: 'observations',
  title: 'Observations',
  one: 'observation',
  many: 'observations',
  order: { column: 'created_at', descending: true },
  columns: [
    textColumn('content', 'Text', ({ content }) => content, { minWidth: 260, share: 4 }),
    textColumn('entity', 'Entity', ({ entity }) => entity, { minWidth: 140, share: 1 }),
    textColumn('kind', 'Kind', ({ kind }) => kind, { minWidth: 104 }),
    status,
    timeColumn('created_at', 'Created', ({ created_at }) => created_at),
  ],
  filters: [
    {
      name: 'status',
      title: 'Status',
      options: ({ counts }) => [
        { id: 'current', title: 'current', count: counts.observations },
        { id: 'superseded', title: 'superseded', count: counts.superseded },
        { id: 'flagged', title: 'near-duplicate', count: counts.flagged },
      ],
    },
    { name: 'kind', title: 'Kind', options: ({ observation_kinds }) => named(observation_kinds) },
    {
      name: 'type',
      title: 'Entity type',
      options: ({ entity_types }) => named(entity_types).map(({ id, title }) => ({ id, title })),
    },
  ],
  actions: [
    {
      title: 'Delete',
      icon: Trash2,
      isDanger: true,
      // Superseded observations are deleted only with their entity.
      fits: ({ superseded_at }) => superseded_at === undefined,
      run: deleteObservations,
    },
  ],
  count: ({ observations: current, superseded }) => current + superseded,
  names: ({ entity }) => [entity],
  isPast: ({ superseded_at }) => superseded_at !== undefined,
};
