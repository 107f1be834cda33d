import checks from '../../components/check.module.css';
import styles from './grid.module.css';
import type { RecordKind, Row } from './record-kind.ts';

interface Props {
  readonly id: string;
  readonly index: number;
  readonly top: number;
  readonly kind: RecordKind<Row>;
  /** `undefined` until its page is loaded. */
  readonly row: Row | undefined;
  readonly isActive: boolean;
  readonly isMarked: boolean;
  readonly isShown: (row: Row) => boolean;
  readonly onMove: (index: number, extends_: boolean) => void;
  readonly onToggle: (index: number) => void;
  readonly onOpen: (index: number) => void;
}

/** A row. Pressing it opens the record; pressing its checkbox, or with Ctrl or Shift, selects it. */
export function RowLine({ id, index, top, kind, row, isActive, isMarked, isShown, onMove, onToggle, onOpen }: Props) {
  const press = (event: React.MouseEvent): void => {
    if (event.shiftKey) onMove(index, true);
    else if (event.ctrlKey || event.metaKey || isOnMark(event)) onToggle(index);
    else onOpen(index);
  };
  return (
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isMarked}
      className={styles.row}
      style={{ top }}
      data-active={isActive || undefined}
      data-shown={(row !== undefined && isShown(row)) || undefined}
      data-past={(row !== undefined && kind.isPast(row)) || undefined}
      onClick={row === undefined ? undefined : press}
      onMouseDown={(event) => {
        // Shift selects rows, not text.
        if (event.shiftKey) event.preventDefault();
      }}
    >
      <div role="gridcell" className={styles.mark} data-mark>
        <span className={checks.box} aria-hidden />
      </div>
      {kind.columns.map((column) => (
        <div
          key={column.id}
          role="gridcell"
          className={styles.cell}
          dir="auto"
          data-number={column.isNumber || undefined}
        >
          {row === undefined ? <span className={styles.loading} aria-hidden /> : column.show(row)}
        </div>
      ))}
    </div>
  );
}

function isOnMark({ target }: React.MouseEvent): boolean {
  return target instanceof Element && target.closest('[data-mark]') !== null;
}
