import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useRef } from 'react';
import styles from './grid.module.css';
import { Head } from './head.tsx';
import type { RecordKind, Row } from './record-kind.ts';
import { targetRow, type RowSelection } from './row-selection.ts';
import type { Pages } from './pages.ts';
import { RowLine } from './row-line.tsx';
import { widths } from './widths.ts';
import type { Order } from './table-url-state.ts';

export interface GridProps {
  readonly kind: RecordKind<Row>;
  readonly pages: Pages<Row>;
  readonly order: Order;
  readonly rowSelection: RowSelection<Row>;
  /** Whether the inspector shows the record that the row opens. */
  readonly isShown: (row: Row) => boolean;
  readonly onOrder: (column: string) => void;
  readonly onMove: (index: number, extends_: boolean) => void;
  readonly onToggle: (index: number) => void;
  readonly onAll: () => void;
  /** Clears the selection, and gives up one whose rows have not arrived yet. */
  readonly onClear: () => void;
  /** Whether rows of a selection have not arrived yet. */
  readonly isSelecting: () => boolean;
  readonly onOpen: (index: number) => void;
  readonly onDelete: () => void;
}

const ROW_HEIGHT = 32;
const HEAD_HEIGHT = 33;

/**
 * A virtual table: only the visible rows are rendered.
 *
 * The table has the focus; `aria-activedescendant` names the active row, which is always rendered.
 */
export function Grid({
  kind,
  pages,
  order,
  rowSelection,
  isShown,
  onOrder,
  onMove,
  onToggle,
  onAll,
  onClear,
  isSelecting,
  onOpen,
  onDelete,
}: GridProps) {
  const total = pages.total ?? 0;
  const box = useRef<HTMLDivElement>(null);
  const base = useId();
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    scrollMargin: HEAD_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT,
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) =>
      withActive(startIndex - overscan, endIndex + overscan, count, rowSelection.active),
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items.at(0)?.index ?? 0, items.at(-1)?.index ?? 0];
  const range = virtual.range;
  useEffect(
    () => pages.see(range?.startIndex ?? 0, range?.endIndex ?? 0),
    [pages, range?.startIndex, range?.endIndex, first, last],
  );

  useEffect(() => virtual.scrollToOffset(0), [pages]);

  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    const pageRows = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2);
    const next = targetRow(event.key, rowSelection.active, total, pageRows);
    if (next !== undefined) {
      onMove(next, event.shiftKey);
      virtual.scrollToIndex(next, { align: 'auto' });
    } else if (event.key === ' ' && rowSelection.active >= 0) onToggle(rowSelection.active);
    else if (event.key === 'Enter' && rowSelection.active >= 0) onOpen(rowSelection.active);
    else if (event.key === 'Delete' && rowSelection.chosen.size > 0) onDelete();
    else if (event.key === 'Escape' && (rowSelection.chosen.size > 0 || isSelecting())) onClear();
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) onAll();
    else return;
    event.preventDefault();
  };
  const active = rowSelection.active >= 0 && rowSelection.active < total ? `${base}-${rowSelection.active}` : undefined;
  const { tracks, minWidth } = widths(kind.columns);
  return (
    <div
      ref={box}
      className={styles.grid}
      style={{ '--tracks': tracks, '--min-width': `${minWidth}px` } as React.CSSProperties}
      role="grid"
      aria-label={kind.title}
      aria-multiselectable
      aria-rowcount={total + 1}
      aria-activedescendant={active}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        if (event.target === event.currentTarget && rowSelection.active < 0 && total > 0) onMove(0, false);
      }}
    >
      <Head columns={kind.columns} order={order} onOrder={onOrder} />
      <div role="rowgroup" className={styles.body} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => (
          <RowLine
            key={index}
            id={`${base}-${index}`}
            index={index}
            top={start - HEAD_HEIGHT}
            kind={kind}
            row={pages.rowAt(index)}
            isActive={index === rowSelection.active}
            isMarked={rowSelection.chosen.has(pages.rowAt(index)?.id ?? '')}
            isShown={isShown}
            onMove={onMove}
            onToggle={onToggle}
            onOpen={onOpen}
          />
        ))}
      </div>
    </div>
  );
}

/** Indexes of the visible rows and the active row. */
function withActive(first: number, last: number, count: number, active: number): number[] {
  const shown: number[] = [];
  for (let index = Math.max(0, first); index <= Math.min(count - 1, last); index += 1) shown.push(index);
  if (active >= 0 && active < count && (active < (shown[0] ?? 0) || active > (shown.at(-1) ?? 0))) shown.push(active);
  return shown.sort((a, b) => a - b);
}
