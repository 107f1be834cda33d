import { Segments } from '../../components/segments.tsx';
import styles from './legend.module.css';
import type { LegendEntry, LineLook } from './paint.ts';
import type { Coloring, Shown } from './graph-url-state.ts';

interface Props {
  readonly legend: readonly LegendEntry[];
  /** Lines that need a word. */
  readonly lines: readonly LineLook[];
  readonly coloring: Coloring;
  readonly shows: Shown;
  /** Whether there are memories that could be drawn. */
  readonly hasMemories: boolean;
  readonly onColoring: (coloring: Coloring) => void;
  readonly onShows: (shows: Shown) => void;
}

const DRAWN: readonly { readonly id: Shown; readonly title: string }[] = [
  { id: 'entities', title: 'Entities' },
  { id: 'memories', title: 'Memories' },
  { id: 'all', title: 'Both' },
];
const CHOICES: readonly { readonly id: Coloring; readonly title: string }[] = [
  { id: 'type', title: 'Type' },
  { id: 'status', title: 'Status' },
  { id: 'domain', title: 'Domain' },
  { id: 'community', title: 'Community' },
];
const ENTRIES_MAX = 8;

/** What is drawn, what colours, shapes and lines mean, and what chooses them. */
export function Legend({ legend, lines, coloring, shows, hasMemories, onColoring, onShows }: Props) {
  const choices = CHOICES.filter(({ id }) => id !== 'domain' || shows !== 'entities');
  return (
    <div className={styles.legend}>
      {hasMemories && <Segments label="What is drawn" choices={DRAWN} chosen={shows} onChoose={onShows} />}
      <Segments label="Colours by" choices={choices} chosen={coloring} onChoose={onColoring} />
      <ul className={styles.entries}>
        {legend.slice(0, ENTRIES_MAX).map(({ word, color, count, kind }) => (
          <li key={`${kind} ${word}`}>
            <span className={styles.dot} data-kind={kind} style={{ background: color }} aria-hidden />
            <span className={styles.word}>{word}</span>
            {kind === 'memory' && <span className="visually-hidden">memories</span>}
            <span className={styles.count}>{count.toLocaleString('en')}</span>
          </li>
        ))}
        {legend.length > ENTRIES_MAX && <li className={styles.count}>and {legend.length - ENTRIES_MAX} more</li>}
        {lines.map((look) => (
          <li key={look}>
            <span className={styles.line} data-look={look} aria-hidden />
            <span className={styles.word}>{look === 'mention' ? 'mentions' : look}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
