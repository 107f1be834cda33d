import type { Selection } from '../../app/route.ts';
import { Button } from '../../components/button.tsx';
import { RecordSearch } from '../../components/record-search.tsx';
import { MAX_MOST } from './graph-url-state.ts';
import styles from './start.module.css';

interface Props {
  /** The total number of records. */
  readonly total: number;
  /** Whether all records are drawn. */
  readonly drawsAll: boolean;
  readonly autoFocus: boolean;
  readonly onChoose: (record: Selection) => void;
  readonly onDrawAll: () => void;
}

/** A search for another start, above the graph of the most used records. */
export function Start({ total, drawsAll, autoFocus, onChoose, onDrawAll }: Props) {
  return (
    <div className={styles.start}>
      <div className={styles.search}>
        <RecordSearch
          label="Start from an entity or a memory"
          placeholder="Find by name, type or text"
          finds="both"
          suggests={false}
          onChoose={onChoose}
          autoFocus={autoFocus}
        />
      </div>
      {!drawsAll && (
        <Button variant="quiet" onPress={onDrawAll}>
          {total > MAX_MOST
            ? `Draw the ${MAX_MOST.toLocaleString('en')} most used`
            : `Draw all ${total.toLocaleString('en')}`}
        </Button>
      )}
    </div>
  );
}
