import { ArrowDown, ArrowUp } from 'lucide-react';
import { useRoute } from '../../app/use-route.ts';
import { TypeChip } from '../../components/type-chip.tsx';
import results from '../../components/result-title.module.css';
import styles from './result-item.module.css';
import { type Order, highlightSegments, type Row } from './result-model.ts';

interface Props {
  readonly row: Row;
  readonly position: number;
  readonly order: Order;
  readonly question: string;
  /** Whether other observations are omitted. */
  readonly isBrief: boolean;
}

const MAX_OTHERS = 2;

export function ResultItem({ row, position, order, question, isBrief }: Props) {
  const { route, hrefOf } = useRoute();
  const { result } = row;
  const best = result.explanation?.best_observation;
  const others = isBrief ? [] : result.observations.filter((text) => text !== best).slice(0, MAX_OTHERS);
  const isSelected = route.selection?.kind === 'entity' && route.selection.id === result.name;
  return (
    <li className={styles.result} data-brief={isBrief || undefined} data-selected={isSelected || undefined}>
      <div className={styles.place}>
        <span>{position}</span>
        <Move row={row} order={order} />
      </div>
      <div className={styles.body}>
        <div className={results.title}>
          <a href={hrefOf({ selection: { kind: 'entity', id: result.name } })}>{result.name}</a>
          <TypeChip type={result.entityType} />
        </div>
        {best !== undefined && (
          <p className={styles.best}>
            <HighlightedText text={best} question={question} />
          </p>
        )}
        {others.map((text) => (
          <p key={text} className={styles.other}>
            <HighlightedText text={text} question={question} />
          </p>
        ))}
      </div>
      <Why row={row} isBrief={isBrief} />
    </li>
  );
}

export function HighlightedText({ text, question }: { readonly text: string; readonly question: string }) {
  return highlightSegments(text, question).map((piece, index) =>
    piece.isMatch ? <mark key={index}>{piece.text}</mark> : piece.text,
  );
}

/** How far usage and age moved a result from its rank by relevance only. */
function Move({ row: { rank, baselineRank }, order }: { readonly row: Row; readonly order: Order }) {
  if (baselineRank === undefined || baselineRank === rank) return null;
  const gain = baselineRank - rank;
  const Arrow = gain > 0 ? ArrowUp : ArrowDown;
  const other = order === 'limbic' ? `${baselineRank} by relevance only` : `${rank} with usage and age`;
  return (
    <span className={gain > 0 ? styles.up : styles.down} title={other}>
      <Arrow size={11} aria-hidden />
      {Math.abs(gain)}
      <span className="visually-hidden">, {other}</span>
    </span>
  );
}

function Why({ row, isBrief }: { readonly row: Row; readonly isBrief: boolean }) {
  const { result, parts, relevance } = row;
  const { importance, temporal_factor, cooc_boost } = result.scoring;
  const summary = parts.map(({ title, share }) => `${title} ${share.toFixed(2)}`).join(', ');
  return (
    <div className={styles.why}>
      <div className={styles.score}>
        <span
          className={styles.stack}
          role="img"
          aria-label={`Relevance ${relevance?.toFixed(2) ?? 'unknown'}: ${summary}`}
        >
          {parts.map(({ signal, title, share, value }) => (
            <span
              key={signal}
              data-signal={signal}
              style={{ width: `${Math.max(0, share) * 100}%` }}
              title={`${title}: share ${share.toFixed(3)}${value === undefined ? '' : `, value ${value.toFixed(3)}`}`}
            />
          ))}
        </span>
        <b title={isBrief ? 'Relevance' : 'Score'}>{(isBrief ? (relevance ?? 0) : result.limbic_score).toFixed(2)}</b>
      </div>
      {!isBrief && (
        <dl className={styles.factors}>
          <Meter
            title="usage"
            value={importance}
            max={1.38}
            help="How often it was opened, extended or linked after similar queries, 0 to 1.38"
          />
          <Meter title="recency" value={temporal_factor} max={1} help="Recency: 0.1 to 1" />
          <Meter
            title="co-occurrence"
            value={cooc_boost}
            max={Math.max(1, cooc_boost)}
            help="Co-occurrence with the other results"
          />
        </dl>
      )}
    </div>
  );
}

interface MeterProps {
  readonly title: string;
  readonly value: number;
  readonly max: number;
  readonly help: string;
}

/** A factor of the score, as a line of a list. */
export function Meter({ title, value, max, help }: MeterProps) {
  return (
    <div title={help}>
      <dt>{title}</dt>
      <dd>
        <span className={styles.meter}>
          <span style={{ width: `${Math.min(1, value / max) * 100}%` }} />
        </span>
        {value.toFixed(2)}
      </dd>
    </div>
  );
}
