import { Database, Download, History, PanelLeft, Play } from 'lucide-react';
import { useState } from 'react';
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { useRoute } from '../../app/use-route.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Empty } from '../../components/empty.tsx';
import { counted } from '../../components/format.ts';
import { Problem } from '../../components/problem.tsx';
import { saveBlob } from '../../components/save.ts';
import { SidePanel, SidePanelToggle } from '../../components/side-panel.tsx';
import { useTool } from '../../source/use-tool.ts';
import { type Result, toCsv, toJson } from './cells.ts';
import { Editor } from './editor.tsx';
import { loadHistory, saveHistory, withEntry } from './history.ts';
import { ResultTable } from './result-table.tsx';
import { SchemaBrowser } from './schema-browser.tsx';
import popovers from '../../components/popover.module.css';
import panels from '../../components/side-panel.module.css';
import styles from './sql-view.module.css';

/** The name of the panel beside the editor. */
const PANEL = 'Tables and columns';
const MAX_ROWS = 10_000;
const FIRST = 'SELECT name, entity_type, status FROM entities ORDER BY id LIMIT 100';

/** The SQL console: runs read-only statements on the database. */
export function SqlView() {
  const { route, go } = useRoute();
  const asked = route.params['q'] ?? '';
  const [text, setText] = useState(asked === '' ? (loadHistory()[0] ?? FIRST) : asked);
  const [shownFor, setShownFor] = useState(asked);
  if (asked !== shownFor) {
    // Back and Forward change the statement of the result: the editor shows the same one.
    setShownFor(asked);
    if (asked !== '') setText(asked);
  }
  const [history, setHistory] = useState(loadHistory);
  const [isSchemaOpen, setSchemaOpen] = useState(false);
  const { data, error, isLoading, reload } = useTool(
    'query_sql',
    asked === '' ? undefined : { sql: asked, limit: MAX_ROWS },
    { reloadsOnChange: false },
  );
  const ask = (sql: string): void => {
    if (sql.trim() === '') return;
    const next = withEntry(history, sql);
    setHistory(next);
    saveHistory(next);
    if (sql === asked) reload();
    else go({ params: { q: sql } });
  };
  const show = (sql: string): void => {
    setText(sql);
    setSchemaOpen(false);
    ask(sql);
  };
  return (
    <div className={panels.view}>
      <h1 className="visually-hidden">SQL</h1>
      <SidePanel label={PANEL} isOpen={isSchemaOpen} onClose={() => setSchemaOpen(false)}>
        <SchemaBrowser onInsert={(name) => setText((before) => inserted(before, name))} onShow={show} />
      </SidePanel>
      <div className={panels.work}>
        <div className={styles.editor}>
          <Editor value={text} onChange={setText} onRun={() => ask(text)} />
        </div>
        <div className={styles.bar}>
          <SidePanelToggle
            icon={PanelLeft}
            label={PANEL}
            isOpen={isSchemaOpen}
            onToggle={() => setSchemaOpen(!isSchemaOpen)}
          />
          <Button variant="primary" icon={Play} isDisabled={text.trim() === ''} onPress={() => ask(text)}>
            Run
          </Button>
          <QueryHistory history={history} onChoose={setText} />
          <span className={styles.status} role="status">
            {isLoading ? 'Running…' : data === undefined ? 'Ctrl Enter runs' : summary(data)}
          </span>
          {data !== undefined && data.rows.length > 0 && <Files result={data as Result} />}
        </div>
        {error !== undefined && <Problem problem={error} />}
        {error === undefined && asked === '' && (
          <Empty icon={Database} title="Query the database">
            <p>Run any read-only statement; the schema lists tables and columns.</p>
          </Empty>
        )}
        {data !== undefined && <ResultTable key={asked} result={data as Result} />}
      </div>
    </div>
  );
}

function QueryHistory({
  history,
  onChoose,
}: {
  readonly history: readonly string[];
  readonly onChoose: (sql: string) => void;
}) {
  return (
    <MenuTrigger>
      <Button variant="quiet" icon={History} isDisabled={history.length === 0}>
        History
      </Button>
      <Popover className={`${popovers.popover} ${styles.popover}`}>
        <Menu
          className={popovers.menu}
          aria-label="Query history"
          onAction={(key) => onChoose(history[Number(key)] ?? '')}
        >
          {history.map((sql, index) => (
            <MenuItem
              key={index}
              id={String(index)}
              textValue={sql}
              className={`${popovers.entry} ${styles.past}`}
              dir="auto"
            >
              {sql}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

function Files({ result }: { readonly result: Result }) {
  const save = (text: string, type: string, name: string): void => saveBlob(new Blob([text], { type }), name);
  return (
    <>
      <CopyButton label="Copy rows as CSV" text={() => toCsv(result)} />
      <Button
        variant="quiet"
        icon={Download}
        onPress={() => save(toCsv(result), 'text/csv', 'result.csv')}
        aria-label="Export as CSV"
      >
        CSV
      </Button>
      <Button
        variant="quiet"
        icon={Download}
        onPress={() => save(toJson(result), 'application/json', 'result.json')}
        aria-label="Export as JSON"
      >
        JSON
      </Button>
    </>
  );
}

/** Describes the result of a statement. */
function summary({
  rows,
  truncated,
  truncated_by,
}: {
  readonly rows: readonly unknown[];
  readonly truncated: boolean;
  readonly truncated_by?: string;
}): string {
  const count = counted(rows.length, 'row');
  if (!truncated) return count;
  return `The first ${count}: there are more than ${truncated_by === 'limit' ? 'this view shows' : 'fit into an answer'}. Use LIMIT and OFFSET to see others.`;
}

function inserted(before: string, name: string): string {
  return before === '' || /[\s(,.]$/.test(before) ? `${before}${name}` : `${before} ${name}`;
}
