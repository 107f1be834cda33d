import { ago, fullTime } from '../../components/format.ts';
import styles from './cells.module.css';
import type { Column } from './record-kind.ts';

interface Sized {
  readonly minWidth?: number;
  readonly share?: number;
}

/** A column of times. */
export function timeColumn<R>(id: string, title: string, timeOf: (row: R) => string | undefined): Column<R> {
  return {
    id,
    title,
    minWidth: 104,
    show: (row) => {
      const time = timeOf(row);
      return time === undefined ? null : (
        <span className={styles.muted} title={fullTime(time)}>
          {ago(time, Date.now())}
        </span>
      );
    },
    text: (row) => timeOf(row) ?? '',
  };
}

/** A column of whole numbers. */
export function countColumn<R>(id: string, title: string, countOf: (row: R) => number): Column<R> {
  return {
    id,
    title,
    minWidth: 96,
    isNumber: true,
    show: (row) => countOf(row).toLocaleString('en'),
    text: (row) => String(countOf(row)),
  };
}

/** A column of words. */
export function textColumn<R>(
  id: string,
  title: string,
  textOf: (row: R) => string | undefined,
  { minWidth = 96, share }: Sized = {},
): Column<R> {
  return {
    id,
    title,
    minWidth,
    share,
    show: (row) => <span title={textOf(row)}>{textOf(row)}</span>,
    text: (row) => textOf(row) ?? '',
  };
}

/** The status of a row. */
export function State({
  word,
  variant = 'plain',
}: {
  readonly word: string;
  readonly variant?: 'plain' | 'warn' | 'past';
}) {
  return <span className={`${styles.state} ${styles[variant]}`}>{word}</span>;
}
