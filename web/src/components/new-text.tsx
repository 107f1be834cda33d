import { useId, useRef, useState } from 'react';
import { Input, Label, TextArea, TextField } from 'react-aria-components';
import { Button } from './button.tsx';
import inputs from './input.module.css';
import { isComposing } from './is-composing.ts';
import styles from './new-text.module.css';
import { notifyUnsaved, useIsGone, useUnsaved } from './unsaved.ts';

/** A short additional field. */
export interface ExtraField {
  readonly label: string;
  readonly placeholder: string;
  readonly suggestions: readonly string[];
}

interface Props {
  readonly label: string;
  readonly placeholder: string;
  readonly extras?: readonly ExtraField[];
  /** Saves the text and the values of the extra fields. Returns whether that succeeded. */
  readonly onSave: (text: string, extras: readonly string[]) => Promise<boolean>;
  readonly onClose: () => void;
}

/** An input for a new text. Ctrl Enter saves and continues, Escape closes. */
export function NewText({ label, placeholder, extras = [], onSave, onClose }: Props) {
  const [text, setText] = useState('');
  const [words, setWords] = useState<readonly string[]>(extras.map(() => ''));
  const [isSaving, setSaving] = useState(false);
  /** Set before the next render, as a second press may come before it. */
  const hasBegun = useRef(false);
  const isGone = useIsGone();
  const discard = useUnsaved(isSaving ? undefined : text);
  const close = (): void => {
    discard();
    onClose();
  };
  const save = async (): Promise<void> => {
    if (text.trim() === '' || hasBegun.current) return;
    hasBegun.current = true;
    setSaving(true);
    const trimmed = words.map((word) => word.trim());
    // Text that was typed during the save stays.
    if (await onSave(text.trim(), trimmed)) setText((now) => (now === text ? '' : now));
    else if (isGone()) notifyUnsaved(text);
    hasBegun.current = false;
    setSaving(false);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save();
    if (event.key !== 'Escape') return;
    event.preventDefault();
    close();
  };
  return (
    <div className={styles.new} onKeyDown={onKeyDown}>
      <TextField aria-label={label} value={text} onChange={setText} autoFocus>
        <TextArea className={inputs.area} placeholder={placeholder} rows={2} />
      </TextField>
      {extras.length > 0 && (
        <div className={styles.extras}>
          {extras.map((extra, index) => (
            <Extra
              key={extra.label}
              extra={extra}
              word={words[index] ?? ''}
              onChange={(word) => setWords(words.with(index, word))}
            />
          ))}
        </div>
      )}
      <div className={styles.actions}>
        <Button variant="quiet" onPress={close}>
          Close
        </Button>
        <Button variant="primary" onPress={() => void save()} isDisabled={text.trim() === '' || isSaving}>
          Add
        </Button>
      </div>
    </div>
  );
}

interface ExtraProps {
  readonly extra: ExtraField;
  readonly word: string;
  readonly onChange: (word: string) => void;
}

function Extra({ extra: { label, placeholder, suggestions }, word, onChange }: ExtraProps) {
  const list = useId();
  return (
    <TextField className={styles.extra} value={word} onChange={onChange}>
      <Label>{label}</Label>
      <Input className={`${inputs.box} ${styles.input}`} placeholder={placeholder} list={list} />
      <datalist id={list}>
        {suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
    </TextField>
  );
}
