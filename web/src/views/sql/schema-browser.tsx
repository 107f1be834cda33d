import { Eye, Table2, TextCursorInput, Zap } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import fields from '../../components/field.module.css';
import { Problem } from '../../components/problem.tsx';
import type { Output } from '../../source/tools.ts';
import { useTool } from '../../source/use-tool.ts';
import { quoted } from './highlight.ts';
import styles from './schema-browser.module.css';

type TableInfo = Output<'explore_schema'>['tables'][number];

interface Props {
  readonly onInsert: (text: string) => void;
  readonly onShow: (sql: string) => void;
}

const ROWS_SHOWN = 200;
const ICONS = { table: Table2, view: Eye, virtual: Zap } as const;

/** Tables with their columns, indexes and the statements that created them. */
export function SchemaBrowser({ onInsert, onShow }: Props) {
  const { data, error, reload } = useTool('explore_schema', {});
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = data?.tables.filter(
    ({ name, columns }) =>
      name.toLowerCase().includes(wanted) || columns.some((column) => column.name.toLowerCase().includes(wanted)),
  );
  return (
    <section className={styles.browser} aria-label="Schema">
      <div className={styles.filter}>
        <input
          className={fields.input}
          type="search"
          aria-label="Filter tables and columns"
          placeholder="Tables and columns"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <div className={styles.list}>
        {error !== undefined && <Problem problem={error} onRetry={reload} />}
        {shown?.map((table) => (
          <TableDetails key={table.name} table={table} onInsert={onInsert} onShow={onShow} />
        ))}
        {shown?.length === 0 && <p className={styles.none}>No matching tables</p>}
      </div>
      {data !== undefined && <p className={styles.version}>Schema version {data.schema_version}</p>}
    </section>
  );
}

function TableDetails({ table, onInsert, onShow }: { readonly table: TableInfo } & Props) {
  const { name, kind, rows, columns, indexes, sql } = table;
  const Icon = ICONS[kind as keyof typeof ICONS] ?? Table2;
  return (
    <details className={styles.table}>
      <summary>
        <Icon size={13} aria-hidden />
        <span className={styles.name}>{name}</span>
        <span className={styles.rows}>{rows === undefined ? kind : rows.toLocaleString('en')}</span>
      </summary>
      <div className={styles.inside}>
        <div className={styles.actions}>
          <IconButton
            icon={Eye}
            label={`Show rows of ${name}`}
            onPress={() => onShow(`SELECT * FROM ${quoted(name)} LIMIT ${ROWS_SHOWN}`)}
          />
          <IconButton icon={TextCursorInput} label={`Insert ${name}`} onPress={() => onInsert(quoted(name))} />
        </div>
        <ul>
          {columns.map((column) => (
            <li key={column.name}>
              <button
                type="button"
                className={styles.column}
                onClick={() => onInsert(quoted(column.name))}
                title={`Insert ${column.name}`}
              >
                <span className={styles.name}>{column.name}</span>
                <span className={styles.type}>
                  {column.type.toLowerCase()}
                  {column.primary_key ? ' key' : ''}
                  {column.not_null ? ' not null' : ''}
                  {column.default === undefined ? '' : ` = ${column.default}`}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {indexes.length > 0 && (
          <>
            <h3>Indexes</h3>
            <ul>
              {indexes.map((index) => (
                <li key={index.name} className={styles.index}>
                  <span className={styles.name}>{index.name}</span>
                  <span className={styles.type}>
                    {index.unique ? 'unique ' : ''}({index.columns.join(', ')})
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
        <details className={styles.ddl}>
          <summary>Statement</summary>
          <CopyButton label={`Copy the CREATE statement of ${name}`} text={() => sql} />
          <pre>{sql}</pre>
        </details>
      </div>
    </details>
  );
}
