import styles from './key.module.css';

const SIGNALS = [
  ['late', 'late interaction'],
  ['vector', 'vector'],
  ['lexical', 'words'],
] as const;

/** What the colours of the bars mean. */
export function Key() {
  return (
    <ul className={styles.key} aria-label="Colours of the bars">
      {SIGNALS.map(([signal, title]) => (
        <li key={signal} data-signal={signal}>
          {title}
        </li>
      ))}
    </ul>
  );
}
