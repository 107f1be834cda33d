import { Unlink } from 'lucide-react';
import { removeLinks } from '../../../mutations/memory-links.ts';
import { LINK_TYPES } from '../../../components/memory-words.ts';
import type { LinkRow } from '../../../source/explorer-tools.ts';
import { State, textColumn, timeColumn } from '../cells.tsx';
import type { RecordKind } from '../record-kind.ts';
import { words } from '../options.ts';

/** Links between memories: edges within a domain and references across domains. */
export const links: RecordKind<LinkRow> = {
  id: 'links',
  title: 'Links',
  one: 'link',
  many: 'links',
  order: { column: 'created_at', descending: true },
  columns: [
    textColumn('from', 'From', ({ from }) => from, { minWidth: 220, share: 2 }),
    {
      id: 'type',
      title: 'Link',
      minWidth: 150,
      share: 0.8,
      show: ({ type, is_reference: isReference }) =>
        isReference ? <State word={`${type} (reference)`} variant="past" /> : <span title={type}>{type}</span>,
      text: ({ type }) => type,
    },
    textColumn('to', 'To', ({ to }) => to, { minWidth: 220, share: 2 }),
    {
      id: 'strength',
      title: 'Strength',
      minWidth: 100,
      isNumber: true,
      show: ({ strength }) => strength.toFixed(2),
      text: ({ strength }) => String(strength),
    },
    textColumn('from_domain', 'Domain', ({ from_domain }) => from_domain, { minWidth: 110 }),
    textColumn(
      'to_domain',
      'Target domain',
      ({ is_reference: isReference, to_domain: into }) => (isReference ? into : undefined),
      { minWidth: 110 },
    ),
    timeColumn('created_at', 'Created', ({ created_at }) => created_at),
  ],
  filters: [
    {
      name: 'status',
      title: 'Kind',
      options: () => [
        { id: 'link', title: 'same domain' },
        { id: 'reference', title: 'other domain' },
      ],
    },
    { name: '=type', title: 'Link', options: () => words(...LINK_TYPES) },
  ],
  actions: [
    {
      title: 'Remove',
      icon: Unlink,
      isDanger: true,
      undoText: 'Undo creates them again with today’s date.',
      fits: () => true,
      run: removeLinks,
    },
  ],
  count: ({ links: count }) => count,
  hasDomains: true,
  names: () => [],
  memories: ({ from_id: from, to_id: to }) => [from, to],
  opened: ({ from_id: id }) => ({ kind: 'memory', id }),
  isPast: () => false,
};
