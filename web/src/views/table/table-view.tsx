import { Table2 } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { notifyError } from '../../app/toasts.tsx';
import { useRoute } from '../../app/use-route.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { Problem } from '../../components/problem.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useCanEdit, useSource } from '../../source/source-context.tsx';
import { useTool } from '../../source/use-tool.ts';
import { Filters } from './filters.tsx';
import { TableFooter } from './footer.tsx';
import { Grid } from './grid.tsx';
import { RECORD_KINDS } from './kinds.ts';
import { type RecordKind, type Row, selectionOf } from './record-kind.ts';
import { selectAll, type RowSelection, moveTo, emptySelection, selectRange, toggle } from './row-selection.ts';
import { runAction } from './run-action.ts';
import styles from './table-view.module.css';
import { usePages } from './use-pages.ts';
import {
  formatOrder,
  isFiltered,
  nextOrder,
  paramsOfKind,
  parseTableUrl,
  queryOf,
  type TableUrlState,
  withoutFilters,
} from './table-url-state.ts';

/** The records of one kind as a table, with sorting, filters and actions. */
export function TableView() {
  const { route, go } = useRoute();
  const kinds = RECORD_KINDS;
  const urlState = useMemo(
    () =>
      parseTableUrl(
        route.params,
        kinds.map(({ id }) => id),
      ),
    [route.params, kinds],
  );
  const { data: stats } = useTool('explore_stats', {});
  const kind = kinds.find(({ id }) => id === urlState.kind);
  if (kind === undefined) return null;
  // Counts are those of all domains.
  const isCounted = ({ hasDomains }: RecordKind<Row>): boolean => hasDomains !== true || route.domain === undefined;
  const tabs = kinds.map((each) => ({
    id: each.id,
    title: each.title,
    count: stats === undefined || !isCounted(each) ? undefined : each.count(stats.counts),
  }));
  return (
    <Tabs
      label="Kinds of records"
      tabs={tabs}
      chosen={kind.id}
      onChoose={(id) => go({ params: paramsOfKind(route.params, id) })}
    >
      <Records key={kind.id} kind={kind} urlState={urlState} stats={stats} />
    </Tabs>
  );
}

interface Props {
  readonly kind: RecordKind<Row>;
  readonly urlState: TableUrlState;
  readonly stats: Parameters<typeof Filters>[0]['stats'];
}

function Records({ kind, urlState, stats }: Props) {
  const source = useSource();
  const canEdit = useCanEdit();
  const { route, go, adjust } = useRoute();
  const order = urlState.order ?? kind.order;
  const pages = usePages(queryOf(urlState, kind.order, kind.hasDomains === true ? route.domain : undefined));
  const [kept, setKept] = useState<{ readonly pages: object; readonly rowSelection: RowSelection<Row> }>({
    pages,
    rowSelection: emptySelection(),
  });
  // Indexes are valid for one query only, so the selection is dropped with it.
  const rowSelection = kept.pages === pages ? kept.rowSelection : emptySelection<Row>();
  /** Counts selections: rows that arrive for an earlier one are not selected any more. */
  const latest = useRef(0);
  /** The number of the selection whose rows are awaited. */
  const awaited = useRef<number>(undefined);
  const setMarks = (change: (before: RowSelection<Row>) => RowSelection<Row>): void => {
    latest.current += 1;
    setKept((before) => ({
      pages,
      rowSelection: change(before.pages === pages ? before.rowSelection : emptySelection<Row>()),
    }));
  };
  const clear = (): void => setMarks((before) => emptySelection(before.active));
  const shown = route.selection;

  const selectBetween = async (
    first: number,
    last: number,
    select: (before: RowSelection<Row>, rows: readonly Row[]) => RowSelection<Row>,
  ): Promise<void> => {
    latest.current += 1;
    const mine = latest.current;
    awaited.current = mine;
    const rows = await pages.between(first, last);
    if (mine !== latest.current) return;
    awaited.current = undefined;
    if (rows.ok) setMarks((before) => select(before, rows.value));
    else notifyError(rows.error);
  };
  const range = (index: number): Promise<void> =>
    selectBetween(Math.min(rowSelection.anchor, index), Math.max(rowSelection.anchor, index), (before, rows) =>
      selectRange(before, index, rows),
    );
  const all = (): Promise<void> => selectBetween(0, (pages.total ?? 0) - 1, selectAll);
  const withRow = (index: number, run: (row: Row) => void): void => {
    const row = pages.rowAt(index);
    if (row !== undefined) run(row);
  };
  const open = (row: Row): void => {
    const selection = selectionOf(kind, row);
    if (selection !== undefined) go({ selection });
  };
  const isRemoving = useRef(false);
  const remove = async (): Promise<void> => {
    const action = kind.actions.find(({ isDanger }) => isDanger === true);
    // A key that is held down, or pressed twice, deletes once.
    if (!canEdit || action === undefined || isRemoving.current) return;
    isRemoving.current = true;
    try {
      if (await runAction(source, kind, action, [...rowSelection.chosen.values()])) clear();
    } finally {
      isRemoving.current = false;
    }
  };
  return (
    <div className={styles.records}>
      <h1 className="visually-hidden">Table of {kind.many}</h1>
      <Filters
        kind={kind}
        urlState={urlState}
        stats={stats}
        onChange={(params) => adjust({ params })}
        onClear={() => adjust({ params: withoutFilters(route.params) })}
      />
      {pages.error !== undefined && <Problem problem={pages.error} onRetry={() => pages.renew()} />}
      <Grid
        kind={kind}
        pages={pages}
        order={order}
        rowSelection={rowSelection}
        isShown={(row) => {
          const selection = selectionOf(kind, row);
          return shown !== undefined && shown.kind === selection?.kind && shown.id === selection.id;
        }}
        onOrder={(column) => adjust({ params: { sort: formatOrder(nextOrder(order, column)) } })}
        onMove={(index, extends_) => (extends_ ? void range(index) : setMarks((before) => moveTo(before, index)))}
        onToggle={(index) => withRow(index, (row) => setMarks((before) => toggle(before, index, row)))}
        onAll={() => void all()}
        onClear={clear}
        isSelecting={() => awaited.current === latest.current}
        onOpen={(index) =>
          withRow(index, (row) => {
            setMarks((before) => moveTo(before, index));
            open(row);
          })
        }
        onDelete={() => void remove()}
      />
      {pages.total === 0 && (
        <div className={styles.none}>
          <Empty icon={Table2} title={isFiltered(urlState) ? `No matching ${kind.many}` : `No ${kind.many} yet`}>
            <p>
              {isFiltered(urlState) ? 'Try other words or fewer filters.' : 'Records that agents store appear here.'}
            </p>
            {isFiltered(urlState) && (
              <Button onPress={() => adjust({ params: withoutFilters(route.params) })}>Clear filters</Button>
            )}
          </Empty>
        </div>
      )}
      <TableFooter kind={kind} total={pages.total} rows={[...rowSelection.chosen.values()]} onClear={clear} />
    </div>
  );
}
