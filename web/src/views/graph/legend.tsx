import { withMeaning } from '../../components/format-values.ts';
import { Segments } from '../../components/segments.tsx';
import styles from './legend.module.css';
import type { LegendEntry, EdgeStyle } from './paint.ts';
import type { Coloring, Shown } from './graph-url-state.ts';

interface Props {
  readonly legend: readonly LegendEntry[];
  /** Edge styles in the legend. */
  readonly lines: readonly EdgeStyle[];
  readonly coloring: Coloring;
  readonly shows: Shown;
  /** Whether the memory contains memories. */
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
const MAX_ENTRIES = 8;

/** The legend of colours, shapes and edges, and the choices of kinds and colouring. */
export function Legend({ legend, lines, coloring, shows, hasMemories, onColoring, onShows }: Props) {
  const choices = CHOICES.filter(({ id }) => id !== 'domain' || shows !== 'entities');
  return (
    <div className={styles.legend}>
      {hasMemories && <Segments label="Show" choices={DRAWN} chosen={shows} onChoose={onShows} />}
      <Segments label="Colour by" choices={choices} chosen={coloring} onChoose={onColoring} />
      <ul className={styles.entries}>
        {legend.slice(0, MAX_ENTRIES).map(({ word, color, count, kind }) => (
          <li key={`${kind} ${word}`}>
            <span className={styles.dot} data-kind={kind} style={{ background: color }} aria-hidden />
            <span className={styles.word} dir="auto">
              {withMeaning(word)}
            </span>
            {kind === 'memory' && <span className="visually-hidden">memories</span>}
            <span className={styles.count}>{count.toLocaleString('en')}</span>
          </li>
        ))}
        {legend.length > MAX_ENTRIES && <li className={styles.count}>and {legend.length - MAX_ENTRIES} more</li>}
        {lines.map((edgeStyle) => (
          <li key={edgeStyle}>
            <span className={styles.line} data-edge-style={edgeStyle} aria-hidden />
            <span className={styles.word}>{edgeStyle === 'mention' ? 'mentions' : edgeStyle}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
