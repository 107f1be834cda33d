import { ArrowDown, ArrowUp } from 'lucide-react';
import { Button } from 'react-aria-components';
import styles from './grid.module.css';
import type { Column } from './record-kind.ts';
import type { Order } from './table-url-state.ts';

interface Props<R> {
  readonly columns: readonly Column<R>[];
  readonly order: Order;
  readonly onOrder: (column: string) => void;
}

/** The column headers; pressing one sorts by the column. */
export function Head<R>({ columns, order, onOrder }: Props<R>) {
  const Arrow = order.descending ? ArrowDown : ArrowUp;
  return (
    <div role="rowgroup" className={styles.head}>
      <div role="row" aria-rowindex={1} className={styles.line}>
        <div role="columnheader" className={styles.mark}>
          <span className="visually-hidden">Marked</span>
        </div>
        {columns.map(({ id, title, isNumber }) => {
          const isOrder = order.column === id;
          return (
            <div
              key={id}
              role="columnheader"
              className={styles.cell}
              data-number={isNumber || undefined}
              aria-sort={isOrder ? (order.descending ? 'descending' : 'ascending') : undefined}
            >
              <Button className={styles.order} data-on={isOrder || undefined} onPress={() => onOrder(id)}>
                {title}
                {isOrder && <Arrow size={12} aria-hidden />}
              </Button>
            </div>
          );
        })}
      </div>
    </div>
  );
}
