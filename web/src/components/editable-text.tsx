import { useRef } from 'react';
import { Button, Input, TextArea, TextField } from 'react-aria-components';
import { useCanEdit } from '../source/source-context.tsx';
import { Button as PlainButton } from './button.tsx';
import styles from './editable-text.module.css';
import { isComposing } from './is-composing.ts';
import { useDraft } from './use-draft.ts';

interface Props {
  readonly label: string;
  readonly text: string;
  /** Saves the text. Returns whether that succeeded. */
  readonly onSave: (text: string) => Promise<boolean>;
  readonly isLong?: boolean;
  /** Whether a tool has escaped invisible characters in `text`, as in the fields of memories. */
  readonly isEscaped?: boolean;
  /** Shown for an empty text; if given, the text may be cleared. */
  readonly placeholder?: string;
}

/**
 * Text that becomes an input when pressed, if the memory can be changed. Enter saves (Ctrl Enter for long texts),
 * Escape cancels. If another client changes the text while it is edited, neither text is lost: the user decides.
 */
export function EditableText({ label, text, onSave, isLong = false, isEscaped = false, placeholder }: Props) {
  const draft = useDraft(text, isEscaped);
  const isSaving = useRef(false);
  const refused = useRef<string>(undefined);
  const choice = useRef<HTMLDivElement>(null);
  /** Whether the field had the focus when it closed, so that the focus moves to the text. */
  const returns = useRef(false);
  const canEdit = useCanEdit();
  const shown = text === '' && placeholder !== undefined ? <span className={styles.missing}>{placeholder}</span> : text;
  if (!canEdit) return <span className={styles.plain}>{shown}</span>;
  if (draft.text === undefined) {
    return (
      <Button
        className={styles.shown}
        autoFocus={returns.current}
        aria-label={`${label}: ${text === '' ? (placeholder ?? '') : text}. Edit`}
        onPress={draft.open}
      >
        {shown}
      </Button>
    );
  }
  const typed = draft.text;
  const save = async (isLeaving = false): Promise<void> => {
    const next = typed.trim();
    // Leaving the field to read the error does not save it again.
    if (isSaving.current || (isLeaving && next === refused.current)) return;
    if ((next === '' && placeholder === undefined) || !draft.isTyped || next === text) {
      draft.close();
      return;
    }
    isSaving.current = true;
    const isSaved = await draft.save(next, onSave);
    isSaving.current = false;
    refused.current = isSaved ? undefined : next;
  };
  const close = (): void => {
    returns.current = true;
    refused.current = undefined;
    draft.close();
  };
  const onEscape = (event: React.KeyboardEvent): void => {
    if (event.key !== 'Escape' || isComposing(event)) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Enter' && !isComposing(event) && (!isLong || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (draft.theirs !== undefined) {
        choice.current?.querySelector('button')?.focus();
        return;
      }
      returns.current = true;
      void save();
    }
  };
  const saveMine = (): void => {
    returns.current = true;
    void save();
  };
  const leave = (): void => {
    if (draft.theirs !== undefined) return;
    returns.current = false;
    void save(true);
  };
  const Field = isLong ? TextArea : Input;
  return (
    <div className={styles.field} onKeyDown={onEscape}>
      <TextField aria-label={label} value={typed} onChange={draft.type} onBlur={leave} autoFocus>
        <Field className={styles.input} onKeyDown={onKeyDown} {...(isLong ? { rows: rowsOf(typed) } : {})} />
      </TextField>
      {draft.theirs !== undefined && (
        <div className={styles.choice} role="group" aria-label={`${label}: changed meanwhile`} ref={choice}>
          <p role="alert">
            Changed meanwhile by another client to: <q>{draft.theirs}</q>
          </p>
          <PlainButton onPress={saveMine}>Save mine</PlainButton>
          <PlainButton onPress={close}>Keep theirs</PlainButton>
        </div>
      )}
    </div>
  );
}

const CHARACTERS_PER_ROW = 48;
const MAX_ROWS = 14;

function rowsOf(text: string): number {
  return Math.min(MAX_ROWS, Math.ceil(text.length / CHARACTERS_PER_ROW) + text.split('\n').length - 1);
}
