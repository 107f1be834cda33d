import styles from './word-choice.module.css';

interface Props {
  readonly label: string;
  /** What stands for no choice. */
  readonly all: string;
  readonly words: readonly { readonly name: string; readonly count: number }[];
  readonly chosen: string | undefined;
  readonly onChoose: (word: string | undefined) => void;
}

/** One of the words that the memory holds, or none. */
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
      {!isKnown && <option value={chosen}>{chosen}</option>}
      {words.map(({ name, count }) => (
        <option key={name} value={name}>
          {name} ({count})
        </option>
      ))}
    </select>
  );
}
