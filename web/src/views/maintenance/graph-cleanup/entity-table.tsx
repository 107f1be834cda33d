import { useState } from 'react';
import { useRoute } from '../../../app/use-route.ts';
import { TypeChip } from '../../../components/type-chip.tsx';
import styles from './entity-table.module.css';

export interface UpkeepRow {
  readonly name: string;
  readonly entityType: string;
  readonly facts: number;
  readonly note: string;
}

interface Props {
  readonly label: string;
  readonly rows: readonly UpkeepRow[];
  /** Title of the last column. */
  readonly noteTitle: string;
  /** Actions on selected rows; without it, rows cannot be selected. */
  readonly actions: ((names: readonly string[], onDone: () => void) => React.ReactNode) | undefined;
}

/** A short list of entities with actions on the selected ones. */
export function EntityTable({ label, rows, noteTitle, actions }: Props) {
  const { hrefOf } = useRoute();
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const names = rows.map(({ name }) => name).filter((name) => marked.has(name));
  const isAll = names.length === rows.length;
  const toggle = (name: string): void =>
    setMarked(new Set(marked.has(name) ? names.filter((other) => other !== name) : [...names, name]));
  return (
    <>
      {actions !== undefined && (
        <div className={styles.actions}>
          <span className={styles.marked} role="status">
            {names.length === 0 ? 'Select the entities to change' : `${names.length} selected`}
          </span>
          {actions(names, () => setMarked(new Set()))}
        </div>
      )}
      <div className={styles.scroll}>
        {/* A table of the library would be a quarter of what all views load. */}
        <table className={styles.table} aria-label={label}>
          <thead className={styles.head}>
            <tr>
              {actions !== undefined && (
                <th scope="col" className={styles.check}>
                  <input
                    type="checkbox"
                    aria-label="Select all"
                    checked={isAll}
                    onChange={() => setMarked(new Set(isAll ? [] : rows.map(({ name }) => name)))}
                  />
                </th>
              )}
              <th scope="col">Name</th>
              <th scope="col">Type</th>
              <th scope="col" className={styles.number}>
                Observations
              </th>
              <th scope="col">{noteTitle}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, entityType, facts, note }) => (
              <tr key={name} className={styles.row} data-selected={marked.has(name) || undefined}>
                {actions !== undefined && (
                  <td className={styles.check}>
                    <input
                      type="checkbox"
                      aria-label={`Select ${name}`}
                      checked={marked.has(name)}
                      onChange={() => toggle(name)}
                    />
                  </td>
                )}
                <th scope="row" className={styles.name}>
                  <a href={hrefOf({ selection: { kind: 'entity', id: name } })}>{name}</a>
                </th>
                <td className={styles.type}>
                  <TypeChip type={entityType} />
                </td>
                <td className={styles.number}>{facts}</td>
                <td className={styles.note}>{note}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
