import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { startOf } from '../../components/format.ts';
import { type Cell, kindOf, type Result, textOf, widthsOf } from './cells.ts';
import { type CellPosition, moved } from './cell-position.ts';
import styles from './result-table.module.css';

const ROW_HEIGHT = 26;
const NUMBER_WIDTH = 52;
/** Maximum length of a text in a cell; the full text is shown below the table. */
const MAX_SHOWN = 300;

/** The rows of a result. Arrow keys move between cells; the active cell is shown in full below. */
export function ResultTable({ result }: { readonly result: Result }) {
  const { columns, rows } = result;
  const [position, setPosition] = useState<CellPosition>();
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
    scrollPaddingStart: ROW_HEIGHT,
  });
  const template = useMemo(
    () =>
      `${NUMBER_WIDTH}px ${widthsOf(result)
        .map((width) => `${width}px`)
        .join(' ')}`,
    [result],
  );
  const chosen: Cell | undefined = position === undefined ? undefined : rows[position.row]?.[position.column];
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const next = moved(position, event.key, event.ctrlKey || event.metaKey, rows.length, columns.length);
    if (next === undefined) return;
    event.preventDefault();
    setPosition(next);
    virtual.scrollToIndex(next.row);
    requestAnimationFrame(() =>
      document.getElementById(cellId(next))?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    );
  };
  return (
    <div className={styles.result}>
      <div
        ref={scroll}
        className={styles.scroll}
        role="grid"
        tabIndex={0}
        aria-label="Rows"
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length}
        aria-activedescendant={position === undefined ? undefined : cellId(position)}
        onKeyDown={onKeyDown}
      >
        <div
          className={`${styles.row} ${styles.head}`}
          role="row"
          aria-rowindex={1}
          style={{ gridTemplateColumns: template }}
        >
          <span className={styles.number} aria-hidden />
          {columns.map((name, index) => (
            <span key={index} role="columnheader" aria-colindex={index + 1} title={name}>
              {name}
            </span>
          ))}
        </div>
        <div className={styles.space} role="rowgroup" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <div
              key={index}
              className={styles.row}
              role="row"
              aria-rowindex={index + 2}
              style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
            >
              <span className={styles.number} aria-hidden>
                {index + 1}
              </span>
              {rows[index]?.map((cell, column) => (
                <span
                  key={column}
                  id={cellId({ row: index, column })}
                  role="gridcell"
                  dir="auto"
                  aria-colindex={column + 1}
                  aria-selected={position?.row === index && position.column === column}
                  data-kind={kindOf(cell)}
                  onClick={() => setPosition({ row: index, column })}
                >
                  {startOf(textOf(cell), MAX_SHOWN)}
                </span>
              ))}
            </div>
          ))}
        </div>
      </div>
      {position !== undefined && chosen !== undefined && (
        <section className={styles.cell} aria-label="Selected cell">
          <header>
            <strong>{columns[position.column]}</strong>
            <span>
              row {(position.row + 1).toLocaleString('en')}, {kindOf(chosen)}
              {typeof chosen === 'string' ? ` of ${chosen.length.toLocaleString('en')} characters` : ''}
            </span>
            <CopyButton label="Copy cell" text={() => textOf(chosen)} />
          </header>
          <pre data-kind={kindOf(chosen)} tabIndex={0}>
            {textOf(chosen)}
          </pre>
        </section>
      )}
    </div>
  );
}

function cellId({ row, column }: CellPosition): string {
  return `cell-${row}-${column}`;
}
