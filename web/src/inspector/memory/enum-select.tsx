import { useEffect, useRef, useState } from 'react';
import inputs from '../../components/input.module.css';
import { useCanEdit } from '../../source/source-context.tsx';
import styles from './memory-inspector.module.css';

interface Props<T extends string> {
  readonly label: string;
  readonly chosen: string;
  readonly options: readonly T[];
  /** Stores the choice; answers whether that worked. */
  readonly onPick: (option: T) => Promise<boolean>;
}

/** One of a few words. A word from the open list is stored at once; keys on the closed one only look through it until Enter, or until the focus leaves. */
export function EnumSelect<T extends string>({ label, chosen, options, onPick }: Props<T>) {
  const canEdit = useCanEdit();
  const [draft, setDraft] = useState<string>();
  const isByKeys = useRef(false);
  const stored = useRef<string>(undefined);
  useEffect(() => {
    const was = stored.current;
    stored.current = undefined;
    // Who looks further meanwhile goes on from there.
    setDraft((before) => (before === was || before === chosen ? undefined : before));
  }, [chosen]);
  if (!canEdit) return <span>{chosen}</span>;
  // Another program may have written a word of its own.
  const all: readonly string[] = options.some((option) => option === chosen) ? options : [chosen, ...options];
  const save = async (option: string): Promise<void> => {
    // The choice stands until the memory is read again.
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
