import { useRef, useState } from 'react';
import { Button, Input, TextArea, TextField } from 'react-aria-components';
import { useCanEdit } from '../source/source-context.tsx';
import styles from './editable-text.module.css';

interface Props {
  readonly label: string;
  readonly text: string;
  /** Saves the text. Returns whether that succeeded. */
  readonly onSave: (text: string) => Promise<boolean>;
  readonly isLong?: boolean;
  /** Shown for an empty text; if given, the text may be cleared. */
  readonly placeholder?: string;
}

/**
 * Text that becomes an input when pressed, if the memory can be changed. Enter saves (Ctrl Enter for long texts),
 * Escape cancels.
 */
export function EditableText({ label, text, onSave, isLong = false, placeholder }: Props) {
  const [draft, setDraft] = useState<string>();
  const isSaving = useRef(false);
  const refused = useRef<string>(undefined);
  /** Whether the field had the focus when it closed, so that the focus moves to the text. */
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
    // Leaving the field to read the error does not save it again.
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
const MAX_ROWS = 14;

function rowsOf(text: string): number {
  return Math.min(MAX_ROWS, Math.ceil(text.length / CHARACTERS_PER_ROW) + text.split('\n').length - 1);
}
