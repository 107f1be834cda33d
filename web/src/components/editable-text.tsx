import { useRef, useState } from 'react';
import { Button, Input, TextArea, TextField } from 'react-aria-components';
import { useCanEdit } from '../source/source-context.tsx';
import styles from './editable-text.module.css';

interface Props {
  readonly label: string;
  readonly text: string;
  /** Stores the text; answers whether that worked. */
  readonly onSave: (text: string) => Promise<boolean>;
  readonly isLong?: boolean;
  /** What stands there when there is no text; the text may then be taken away. */
  readonly placeholder?: string;
}

/** Text that turns into a field when it is pressed, where the memory can be changed. Enter stores, Escape goes back; long texts store with Ctrl Enter. */
export function EditableText({ label, text, onSave, isLong = false, placeholder }: Props) {
  const [draft, setDraft] = useState<string>();
  const isSaving = useRef(false);
  const refused = useRef<string>(undefined);
  /** Whether the keyboard was in the field when it went: it then goes on at what takes its place. */
  const returns = useRef(false);
  const canEdit = useCanEdit();
  const shown = text === '' && placeholder !== undefined ? <span className={styles.missing}>{placeholder}</span> : text;
  if (!canEdit) return <span className={styles.plain}>{shown}</span>;
  if (draft === undefined) {
    return (
      <Button
        className={styles.shown}
        autoFocus={returns.current}
        aria-label={`${label}: ${text === '' ? (placeholder ?? '') : text}. Edit`}
        onPress={() => setDraft(text)}
      >
        {shown}
      </Button>
    );
  }
  const save = async (isLeaving = false): Promise<void> => {
    const next = draft.trim();
    // Who goes to read why a text was refused has not changed it yet.
    if (isSaving.current || (isLeaving && next === refused.current)) return;
    if ((next === '' && placeholder === undefined) || next === text) {
      setDraft(undefined);
      return;
    }
    isSaving.current = true;
    const isSaved = await onSave(next);
    isSaving.current = false;
    refused.current = isSaved ? undefined : next;
    if (isSaved) setDraft(undefined);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      returns.current = true;
      refused.current = undefined;
      setDraft(undefined);
    } else if (event.key === 'Enter' && (!isLong || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      returns.current = true;
      void save();
    }
  };
  const leave = (): void => {
    returns.current = false;
    void save(true);
  };
  const Field = isLong ? TextArea : Input;
  return (
    <TextField className={styles.field} aria-label={label} value={draft} onChange={setDraft} onBlur={leave} autoFocus>
      <Field className={styles.input} onKeyDown={onKeyDown} {...(isLong ? { rows: rowsOf(draft) } : {})} />
    </TextField>
  );
}

const CHARACTERS_PER_ROW = 48;
const ROWS_MAX = 14;

function rowsOf(text: string): number {
  return Math.min(ROWS_MAX, Math.ceil(text.length / CHARACTERS_PER_ROW) + text.split('\n').length - 1);
}
