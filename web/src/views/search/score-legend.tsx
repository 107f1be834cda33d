import styles from './score-legend.module.css';

interface Props {
  /** Signals, as styles know them, with their titles. */
  readonly signals: readonly (readonly [signal: string, title: string])[];
}

/** The legend of the bars' colours. */
export function ScoreLegend({ signals }: Props) {
  return (
    <ul className={styles.key} aria-label="Legend of the score bars">
      {signals.map(([signal, title]) => (
        <li key={signal} data-signal={signal}>
          {title}
        </li>
      ))}
    </ul>
  );
}
