import { withMeaning } from '../../components/format-values.ts';
import styles from './word-choice.module.css';

interface Props {
  readonly label: string;
  /** The label of no selection. */
  readonly all: string;
  readonly words: readonly { readonly name: string; readonly count: number }[];
  readonly chosen: string | undefined;
  readonly onChoose: (word: string | undefined) => void;
}

/** Selects one of the values that occur in the memory, or none. */
export function WordChoice({ label, all, words, chosen, onChoose }: Props) {
  const isKnown = chosen === undefined || words.some(({ name }) => name === chosen);
  return (
    <select
      className={styles.choice}
      aria-label={label}
      value={chosen ?? ''}
      onChange={({ target }) => onChoose(target.value === '' ? undefined : target.value)}
    >
      <option value="">{all}</option>
      {!isKnown && <option value={chosen}>{withMeaning(chosen)}</option>}
      {words.map(({ name, count }) => (
        <option key={name} value={name}>
          {withMeaning(name)} ({count})
        </option>
      ))}
    </select>
  );
}
