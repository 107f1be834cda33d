import { Segments } from '../../parts/segments.tsx';
import styles from './legend.module.css';
import type { LegendEntry } from './paint.ts';
import type { Coloring } from './wish.ts';

interface Props {
  readonly legend: readonly LegendEntry[];
  readonly coloring: Coloring;
  readonly onColoring: (coloring: Coloring) => void;
}

const CHOICES: readonly { readonly id: Coloring; readonly title: string }[] = [
  { id: 'type', title: 'Type' },
  { id: 'status', title: 'Status' },
  { id: 'community', title: 'Community' },
];
const ENTRIES_MAX = 8;

/** What the colours mean, and what chooses them. */
export function Legend({ legend, coloring, onColoring }: Props) {
  return (
    <div className={styles.legend}>
      <Segments label="Colours by" choices={CHOICES} chosen={coloring} onChoose={onColoring} />
      <ul className={styles.entries}>
        {legend.slice(0, ENTRIES_MAX).map(({ word, color, count }) => (
          <li key={word}>
            <span className={styles.dot} style={{ background: color }} aria-hidden />
            <span className={styles.word}>{word}</span>
            <span className={styles.count}>{count.toLocaleString('en')}</span>
          </li>
        ))}
        {legend.length > ENTRIES_MAX && <li className={styles.count}>and {legend.length - ENTRIES_MAX} more</li>}
      </ul>
    </div>
  );
}
