import { Trash2 } from 'lucide-react';
import { deleteEntities } from '../../../mutations/bulk.ts';
import { TypeChip } from '../../../components/type-chip.tsx';
import type { EntityRow } from '../../../source/explorer-tools.ts';
import { countColumn, textColumn, timeColumn } from '../cells.tsx';
import type { RecordKind } from '../record-kind.ts';
import { named } from '../options.ts';

export const entities: RecordKind<EntityRow> = {
  id: 'entities',
  title: 'Entities',
  one: 'entity',
  many: 'entities',
  order: { column: 'updated_at', descending: true },
  columns: [
    textColumn('name', 'Name', ({ name }) => name, { minWidth: 180, share: 2 }),
    {
      id: 'entityType',
      title: 'Type',
      minWidth: 120,
      share: 1,
      show: ({ entityType }) => <TypeChip type={entityType} />,
      text: ({ entityType }) => entityType,
    },
    textColumn('status', 'Status', ({ status }) => status, { minWidth: 100 }),
    countColumn('observations', 'Observations', ({ observations }) => observations),
    countColumn('relations', 'Relations', ({ relations }) => relations),
    countColumn('access_count', 'Accesses', ({ access_count }) => access_count),
    timeColumn('last_access', 'Last accessed', ({ last_access }) => last_access),
    timeColumn('updated_at', 'Updated', ({ updated_at }) => updated_at),
    timeColumn('created_at', 'Created', ({ created_at }) => created_at),
  ],
  filters: [
    { name: 'type', title: 'Type', options: ({ entity_types }) => named(entity_types) },
    { name: 'status', title: 'Status', options: ({ statuses }) => named(statuses) },
  ],
  actions: [
    {
      title: 'Delete',
      icon: Trash2,
      isDanger: true,
      fits: () => true,
      run: (source, rows) =>
        deleteEntities(
          source,
          rows.map(({ name }) => name),
        ),
    },
  ],
  count: ({ entities: count }) => count,
  names: ({ name }) => [name],
  isPast: () => false,
};
