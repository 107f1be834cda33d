import { Copy, Network, X } from 'lucide-react';
import { useState } from 'react';
import { Toolbar } from 'react-aria-components';
import { formatNames } from '../../app/route.ts';
import { notify } from '../../app/toasts.tsx';
import { useRoute } from '../../app/use-route.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { writeToClipboard } from '../../components/clipboard.ts';
import { counted } from '../../components/format.ts';
import { useCanEdit, useSource } from '../../source/source-context.tsx';
import { copyText } from './copy.ts';
import styles from './footer.module.css';
import type { Action, RecordKind, Row } from './record-kind.ts';
import { runAction } from './run-action.ts';

interface Props {
  readonly kind: RecordKind<Row>;
  readonly total: number | undefined;
  readonly rows: readonly Row[];
  readonly onClear: () => void;
}

/** Maximum number of records in the focus of a graph. */
const MAX_NAMES = 200;

/** The total and, for selected rows, the actions. */
export function TableFooter({ kind, total, rows, onClear }: Props) {
  const { go } = useRoute();
  const canEdit = useCanEdit();
  if (rows.length === 0) {
    return (
      <div className={styles.foot}>
        <span role="status">{total === undefined ? ' ' : counted(total, kind.one, kind.many)}</span>
        <span className={styles.keys}>
          <kbd>Space</kbd> selects, <kbd>Shift</kbd> <kbd>↓</kbd> extends the selection, <kbd>Enter</kbd> opens
        </span>
      </div>
    );
  }
  const names = [...new Set(rows.flatMap((row) => kind.names(row)))].slice(0, MAX_NAMES);
  const memories = [...new Set(rows.flatMap((row) => kind.memories?.(row) ?? []))].slice(0, MAX_NAMES);
  const copy = async (): Promise<void> => {
    if (await writeToClipboard(copyText(kind.columns, rows)))
      notify({
        text: `Copied ${counted(rows.length, kind.one, kind.many)}`,
        detail: 'Tab-separated: paste them into a spreadsheet or a text.',
      });
    else notify({ text: 'The browser does not allow this page to write to the clipboard.', isError: true });
  };
  return (
    <Toolbar className={styles.foot} aria-label="Selected rows" data-marked>
      <span className={styles.marked} role="status">
        {counted(rows.length, kind.one, kind.many)} selected
      </span>
      {names.length + memories.length > 0 && (
        <Button
          variant="quiet"
          icon={Network}
          onPress={() => go({ view: 'graph', params: { focus: formatNames(names), mfocus: formatNames(memories) } })}
        >
          Graph
        </Button>
      )}
      <Button variant="quiet" icon={Copy} onPress={() => void copy()}>
        Copy
      </Button>
      {canEdit &&
        kind.actions.map((action) => (
          <ActionButton key={action.title} kind={kind} action={action} rows={rows} onDone={onClear} />
        ))}
      <span className={styles.space} />
      <IconButton icon={X} label="Clear selection" onPress={onClear} />
    </Toolbar>
  );
}

interface ActionProps {
  readonly kind: RecordKind<Row>;
  readonly action: Action<Row>;
  readonly rows: readonly Row[];
  readonly onDone: () => void;
}

/** A button with the number of rows that its action applies to. */
function ActionButton({ kind, action, rows, onDone }: ActionProps) {
  const { title, icon, isDanger } = action;
  const source = useSource();
  const [isBusy, setBusy] = useState(false);
  const filterCalls = rows.filter((row) => action.fits(row));
  const press = async (): Promise<void> => {
    setBusy(true);
    if (await runAction(source, kind, action, rows)) onDone();
    setBusy(false);
  };
  return (
    <Button
      variant={isDanger === true ? 'danger' : 'plain'}
      icon={icon}
      isDisabled={isBusy || filterCalls.length === 0}
      onPress={() => void press()}
    >
      {title}
      {filterCalls.length > 0 && filterCalls.length < rows.length && ` ${filterCalls.length} selected`}
    </Button>
  );
}
