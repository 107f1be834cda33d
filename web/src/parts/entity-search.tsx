import { useState } from 'react';
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField } from 'react-aria-components';
import type { EntityRow } from '../source/explorer-tools.ts';
import { useTool } from '../source/use-tool.ts';
import inputs from './input.module.css';
import styles from './entity-search.module.css';
import { counted } from './format.ts';
import { Problem } from './problem.tsx';
import { TypeChip } from './type-chip.tsx';
import { useDebounced } from './use-debounced.ts';

interface Props {
  readonly label: string;
  readonly placeholder: string;
  readonly onChoose: (name: string) => void;
  readonly autoFocus?: boolean;
  /** Whether the most used entities are offered before anything is typed. */
  readonly suggests?: boolean;
}

const TYPING_MILLIS = 120;
const FOUND_MAX = 12;

/** Finds an entity by a part of its name or type. Looking is not use: nothing is recorded. */
export function EntitySearch({ label, placeholder, onChoose, autoFocus, suggests = true }: Props) {
  const [text, setText] = useState('');
  const wanted = useDebounced(text.trim(), TYPING_MILLIS);
  const asks = suggests || wanted !== '';
  const { data, error } = useTool(
    'explore_records',
    asks
      ? { kind: 'entities', text: wanted === '' ? undefined : wanted, sort: 'access_count', descending: true, limit: FOUND_MAX }
      : undefined,
  );
  const rows = asks ? ((data?.rows ?? []) as EntityRow[]) : [];
  return (
    <div className={styles.search}>
      <Autocomplete inputValue={text} onInputChange={setText}>
        <SearchField className={styles.field} aria-label={label} autoFocus={autoFocus}>
          <Input className={`${inputs.box} ${styles.input}`} placeholder={placeholder} />
        </SearchField>
        {error !== undefined && <Problem problem={error} />}
        {asks && (
          <ListBox
            className={styles.list}
            aria-label="Entities"
            items={rows.map((row) => ({ ...row, id: row.name }))}
            selectionMode="none"
            onAction={(key) => onChoose(String(key))}
            renderEmptyState={() => (data === undefined ? null : <p className={styles.none}>No entity fits.</p>)}
          >
            {(row) => (
              <ListBoxItem id={row.name} textValue={row.name} className={styles.row}>
                <span className={styles.name}>{row.name}</span>
                <TypeChip type={row.entityType} />
                <span className={styles.count}>{counted(row.relations, 'relation')}</span>
              </ListBoxItem>
            )}
          </ListBox>
        )}
      </Autocomplete>
    </div>
  );
}
