import { useVirtualizer } from '@tanstack/react-virtual';
import { Trash2 } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { useRoute } from '../../app/use-route.ts';
import { Button } from '../../components/button.tsx';
import fields from '../../components/field.module.css';
import { bytesText } from '../../components/format.ts';
import { Segments } from '../../components/segments.tsx';
import { useSource, useStore } from '../../source/source-context.tsx';
import { CallDetails } from './call-details.tsx';
import { clock, filterCalls, type LogFilter, millisText, sizeOf } from './log-model.ts';
import styles from './log-view.module.css';

const ROW_HEIGHT = 28;
const CLIENT_FILTERS: readonly { readonly id: LogFilter['client']; readonly title: string }[] = [
  { id: 'all', title: 'All clients' },
  { id: 'page', title: 'This page' },
  { id: 'others', title: 'Others' },
];

/** The calls of this page and, on a server, of every other client. */
export function LogView() {
  const { log } = useSource();
  const { route, adjust } = useRoute();
  const calls = useStore(log.calls);
  const [filter, setFilter] = useState<LogFilter>({ text: '', client: 'all', isErrorsOnly: false });
  const rows = useMemo(() => filterCalls(calls, filter), [calls, filter]);
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  const chosenIndex = rows.findIndex(({ id }) => String(id) === route.params['call']);
  const chosen = rows[chosenIndex];
  const choose = (index: number): void => {
    const row = rows[index];
    if (row === undefined) return;
    adjust({ params: { call: String(row.id) } });
    virtual.scrollToIndex(index);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12 };
    const step = steps[event.key];
    if (event.key === 'Escape' && chosen !== undefined) adjust({ params: { call: undefined } });
    else if (step === undefined) return;
    else choose(Math.min(rows.length - 1, Math.max(0, chosenIndex + step)));
    event.preventDefault();
  };
  return (
    <div className={styles.log}>
      <h1 className="visually-hidden">Log of calls</h1>
      <div className={styles.bar}>
        <input
          className={`${fields.input} ${styles.filter}`}
          type="search"
          aria-label="Filter log"
          placeholder="Filter by tool, client or arguments"
          value={filter.text}
          onChange={(event) => setFilter({ ...filter, text: event.target.value })}
        />
        <Segments
          label="Client"
          choices={CLIENT_FILTERS}
          chosen={filter.client}
          onChoose={(client) => setFilter({ ...filter, client })}
        />
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={filter.isErrorsOnly}
            onChange={(event) => setFilter({ ...filter, isErrorsOnly: event.target.checked })}
          />
          Errors only
        </label>
        <Button variant="quiet" icon={Trash2} onPress={() => log.clear()}>
          Clear
        </Button>
      </div>
      <div className={styles.body}>
        <div
          ref={scroll}
          className={styles.scroll}
          role="grid"
          tabIndex={0}
          aria-label="Calls"
          aria-rowcount={rows.length + 1}
          aria-activedescendant={chosen === undefined ? undefined : `call-${chosen.id}`}
          onKeyDown={onKeyDown}
        >
          <div className={`${styles.row} ${styles.headRow}`} role="row" aria-rowindex={1}>
            {['Time', 'Tool', 'Client', 'Duration', 'Size', 'State'].map((title) => (
              <span key={title} role="columnheader">
                {title}
              </span>
            ))}
          </div>
          <div className={styles.space} role="rowgroup" style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, key, start }) => {
              const call = rows[index];
              if (call === undefined) return null;
              const size = sizeOf(call);
              return (
                <div
                  key={key}
                  id={`call-${call.id}`}
                  role="row"
                  aria-rowindex={index + 2}
                  aria-selected={call === chosen}
                  className={styles.row}
                  style={{ transform: `translateY(${start}px)` }}
                  onClick={() => choose(index)}
                >
                  <span role="gridcell">{clock(call.startedMillis)}</span>
                  <span role="gridcell">{call.tool}</span>
                  <span role="gridcell">{call.client}</span>
                  <span role="gridcell">{call.tookMillis === undefined ? '…' : millisText(call.tookMillis)}</span>
                  <span role="gridcell">{size === undefined ? '' : bytesText(size)}</span>
                  <span role="gridcell" data-state={call.isError === true ? 'error' : 'ok'}>
                    {call.isError === undefined ? 'running' : call.isError ? 'error' : 'ok'}
                  </span>
                </div>
              );
            })}
          </div>
          {rows.length === 0 && (
            <p className={styles.none}>{calls.length === 0 ? 'No calls yet.' : 'No calls match the filter.'}</p>
          )}
        </div>
        {chosen !== undefined && (
          <CallDetails key={chosen.id} call={chosen} onClose={() => adjust({ params: { call: undefined } })} />
        )}
      </div>
    </div>
  );
}
