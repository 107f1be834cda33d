import { useEffect, useRef, useState } from 'react';
import inputs from '../../components/input.module.css';
import { useCanEdit } from '../../source/source-context.tsx';
import styles from './memory-inspector.module.css';

interface Props<T extends string> {
  readonly label: string;
  readonly chosen: string;
  readonly options: readonly T[];
  /** Saves the choice. Returns whether that succeeded. */
  readonly onPick: (option: T) => Promise<boolean>;
}

/**
 * A select for an enum. A choice from the open list is saved at once; arrow keys on the closed list save on Enter or
 * blur.
 */
export function EnumSelect<T extends string>({ label, chosen, options, onPick }: Props<T>) {
  const canEdit = useCanEdit();
  const [draft, setDraft] = useState<string>();
  const isByKeys = useRef(false);
  const stored = useRef<string>(undefined);
  useEffect(() => {
    const was = stored.current;
    stored.current = undefined;
    // Keep a draft that the user has changed meanwhile.
    setDraft((before) => (before === was || before === chosen ? undefined : before));
  }, [chosen]);
  if (!canEdit) return <span>{chosen}</span>;
  // Another program may have stored an unknown value.
  const all: readonly string[] = options.some((option) => option === chosen) ? options : [chosen, ...options];
  const save = async (option: string): Promise<void> => {
    // The choice is shown until the memory is read again.
    if (option === (stored.current ?? chosen)) return;
    stored.current = option;
    if (await onPick(option as T)) return;
    stored.current = undefined;
    setDraft(undefined);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Escape' && draft !== undefined && draft !== (stored.current ?? chosen)) {
      event.preventDefault();
      setDraft(stored.current);
    } else if (event.key === 'Enter' && draft !== undefined) {
      event.preventDefault();
      void save(draft);
    } else isByKeys.current = true;
  };
  return (
    <select
      className={`${inputs.box} ${styles.pick}`}
      aria-label={label}
      value={draft ?? chosen}
      onPointerDown={() => {
        isByKeys.current = false;
      }}
      onKeyDown={onKeyDown}
      onBlur={() => {
        isByKeys.current = false;
        if (draft !== undefined) void save(draft);
      }}
      onChange={({ target }) => {
        setDraft(target.value);
        if (!isByKeys.current) void save(target.value);
      }}
    >
      {all.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}
