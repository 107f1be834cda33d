import { useState } from 'react';
import { Cell, Checkbox, Column, Row, type Selection, Table, TableBody, TableHeader } from 'react-aria-components';
import { useRoute } from '../../../app/use-route.ts';
import { TypeChip } from '../../../parts/type-chip.tsx';
import checks from '../../../parts/check.module.css';
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
  /** What can be done with the marked ones. */
  readonly actions: (names: readonly string[], onDone: () => void) => React.ReactNode;
}

/** A short list of entities to decide about, with actions on the marked ones. */
export function EntityTable({ label, rows, noteTitle, actions }: Props) {
  const { go } = useRoute();
  const [marked, setMarked] = useState<Selection>(new Set());
  const names = rows.map(({ name }) => name).filter((name) => marked === 'all' || marked.has(name));
  return (
    <>
      <div className={styles.actions}>
        <span className={styles.marked} role="status">
          {names.length === 0 ? 'Mark what you want to change' : `${names.length} marked`}
        </span>
        {actions(names, () => setMarked(new Set()))}
      </div>
      <div className={styles.scroll}>
        <Table
          className={styles.table}
          aria-label={label}
          selectionMode="multiple"
          selectedKeys={marked}
          onSelectionChange={setMarked}
          onRowAction={(key) => go({ selection: { kind: 'entity', id: String(key) } })}
        >
          <TableHeader className={styles.head}>
            <Column className={styles.check}>
              <Mark />
            </Column>
            <Column isRowHeader>Name</Column>
            <Column>Type</Column>
            <Column className={styles.number}>Facts</Column>
            <Column>{noteTitle}</Column>
          </TableHeader>
          <TableBody items={rows.map((row) => ({ ...row, id: row.name }))}>
            {({ name, entityType, facts, note }) => (
              <Row id={name} textValue={name} className={styles.row}>
                <Cell className={styles.check}>
                  <Mark />
                </Cell>
                <Cell className={styles.name}>{name}</Cell>
                <Cell className={styles.type}>
                  <TypeChip type={entityType} />
                </Cell>
                <Cell className={styles.number}>{facts}</Cell>
                <Cell className={styles.note}>{note}</Cell>
              </Row>
            )}
          </TableBody>
        </Table>
      </div>
    </>
  );
}

function Mark() {
  return (
    <Checkbox slot="selection" className={styles.mark}>
      <span className={checks.box} aria-hidden />
    </Checkbox>
  );
}
