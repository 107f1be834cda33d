import { CircleSlash, FolderInput, Layers, Pin, PinOff, Trash2 } from 'lucide-react';
import {
  confirmInvalidate,
  confirmDelete,
  confirmMove,
  setPinned,
  confirmTierChange,
} from '../../../mutations/memory-dialogs.ts';
import { percent } from '../../../components/format.ts';
import { memoryTitle } from '../../../components/memory-title.ts';
import type { MemoryRow } from '../../../source/explorer-tools.ts';
import cells from '../cells.module.css';
import { countColumn, State, textColumn, timeColumn } from '../cells.tsx';
import type { Column, RecordKind } from '../record-kind.ts';
import { named, words } from '../options.ts';

const VARIANTS: Readonly<Record<string, 'past' | 'warn'>> = { ended: 'past', expired: 'past', contradicted: 'warn' };
/** Smaller differences are due to rounding. */
const MIN_DECAY = 0.005;

const text: Column<MemoryRow> = {
  id: 'content',
  title: 'Text',
  minWidth: 280,
  share: 5,
  show: ({ content, pinned }) => (
    <span title={content}>
      {pinned && (
        <>
          <Pin className={cells.pin} size={12} aria-hidden />
          <span className="visually-hidden">pinned </span>
        </>
      )}
      {memoryTitle(content, 200)}
    </span>
  ),
  text: ({ content }) => content,
};

const confidence: Column<MemoryRow> = {
  id: 'confidence',
  title: 'Confidence',
  minWidth: 108,
  isNumber: true,
  show: ({ confidence: stored, effective_confidence: left }) => (
    <span title={`${stored.toFixed(2)} when stored, ${left.toFixed(2)} after decay`}>
      {stored - left >= MIN_DECAY && <span className={cells.muted}>{Math.round(stored * 100)} → </span>}
      {percent(left)}
    </span>
  ),
  text: ({ effective_confidence: left }) => left.toFixed(2),
};

const status: Column<MemoryRow> = {
  // The status itself is not sortable; this groups ended memories, by their end.
  id: 'valid_until',
  title: 'Status',
  minWidth: 112,
  show: ({ status }) => <State word={status} variant={VARIANTS[status] ?? 'plain'} />,
  text: ({ status }) => status,
};

export const memories: RecordKind<MemoryRow> = {
  id: 'memories',
  title: 'Memories',
  one: 'memory',
  many: 'memories',
  order: { column: 'created_at', descending: true },
  columns: [
    text,
    textColumn('category', 'Category', ({ category }) => category, { minWidth: 100 }),
    textColumn('subject', 'Subject', ({ subject }) => subject, { minWidth: 100, share: 1 }),
    textColumn('domain', 'Domain', ({ domain }) => domain, { minWidth: 96, share: 1 }),
    status,
    textColumn('tier', 'Tier', ({ tier }) => tier, { minWidth: 64 }),
    textColumn('heat', 'Heat', ({ heat }) => heat, { minWidth: 68 }),
    confidence,
    {
      id: 'importance',
      title: 'Importance',
      minWidth: 110,
      isNumber: true,
      show: ({ importance }) => importance.toFixed(1),
      text: ({ importance }) => String(importance),
    },
    countColumn('links', 'Links', ({ links }) => links),
    countColumn('entities', 'Mentions', ({ entities }) => entities),
    countColumn('access_count', 'Accesses', ({ access_count }) => access_count),
    timeColumn('last_accessed', 'Last accessed', ({ last_accessed }) => last_accessed),
    textColumn('memory_type', 'Type', ({ memory_type }) => memory_type, { minWidth: 96 }),
    textColumn('user_id', 'User', ({ user_id }) => user_id, { minWidth: 88 }),
    textColumn('origin', 'Origin', ({ origin }) => origin, { minWidth: 96 }),
    timeColumn('updated_at', 'Updated', ({ updated_at }) => updated_at),
    timeColumn('created_at', 'Created', ({ created_at }) => created_at),
  ],
  filters: [
    { name: 'status', title: 'Status', options: () => words('current', 'ended', 'expired', 'contradicted') },
    { name: 'category', title: 'Category', options: ({ categories }) => named(categories) },
    { name: 'tier', title: 'Tier', options: ({ tiers }) => named(tiers) },
    { name: 'memory_type', title: 'Type', options: ({ memory_types }) => named(memory_types) },
    {
      name: 'pinned',
      title: 'Pinned',
      options: () => [
        { id: '1', title: 'yes' },
        { id: '0', title: 'no' },
      ],
    },
    {
      name: 'unconfirmed',
      title: 'In the inbox',
      options: () => [
        { id: '1', title: 'yes' },
        { id: '0', title: 'no' },
      ],
    },
    { name: 'user_id', title: 'User', options: ({ users }) => named(users) },
    { name: 'origin', title: 'Origin', example: 'Origin, such as client:NAME' },
    {
      name: 'type',
      title: 'Mentions entity type',
      options: ({ entity_types }) => named(entity_types).map(({ id, title }) => ({ id, title })),
    },
  ],
  actions: [
    {
      title: 'Pin',
      icon: Pin,
      undoText: 'Undo unpins them.',
      fits: ({ pinned }) => !pinned,
      run: (source, rows) => setPinned(source, rows, true),
    },
    {
      title: 'Unpin',
      icon: PinOff,
      undoText: 'Undo pins them again.',
      fits: ({ pinned }) => pinned,
      run: (source, rows) => setPinned(source, rows, false),
    },
    { title: 'Move…', icon: FolderInput, asks: true, fits: () => true, run: confirmMove },
    { title: 'Tier…', icon: Layers, asks: true, fits: () => true, run: confirmTierChange },
    {
      title: 'Invalidate…',
      icon: CircleSlash,
      asks: true,
      fits: ({ status }) => status !== 'ended',
      run: confirmInvalidate,
    },
    { title: 'Delete…', icon: Trash2, isDanger: true, asks: true, fits: () => true, run: confirmDelete },
  ],
  count: ({ memories: current, memories_ended: ended }) => current + ended,
  hasDomains: true,
  names: () => [],
  memories: ({ id }) => [id],
  opened: ({ id }) => ({ kind: 'memory', id }),
  isPast: ({ status }) => status !== 'current',
};
