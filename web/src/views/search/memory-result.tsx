import { Pin } from 'lucide-react';
import type { ReactNode } from 'react';
import { useRoute } from '../../app/use-route.ts';
import { MemoryChips } from '../../components/memory-chips.tsx';
import styles from './result-item.module.css';
import { HighlightedText, Meter } from './result-item.tsx';
import own from './memory-result.module.css';
import { excerpt, type RecalledMemory, type ScoreExplanation } from './recall-model.ts';

interface Props {
  readonly memory: RecalledMemory;
  readonly position: number;
  readonly question: string;
  /** `undefined` without a query. */
  readonly why: ScoreExplanation | undefined;
  /** The status, if it was requested. */
  readonly status: string | undefined;
  /** Whether all results belong to one domain, which is then not shown. */
  readonly isOneDomain: boolean;
  /** The actions on it, shown below its text. */
  readonly actions?: ReactNode;
}

/** A search result with its score explanation. */
export function MemoryResult({ memory, position, question, why, status, isOneDomain, actions }: Props) {
  const { route, hrefOf } = useRoute();
  const { id, content, pinned = false, domain } = memory;
  const isSelected = route.selection?.kind === 'memory' && route.selection.id === id;
  return (
    <li className={styles.result} data-selected={isSelected || undefined}>
      <div className={styles.place}>
        <span>{position}</span>
        {pinned && <Pin size={12} className={own.pin} role="img" aria-label="pinned" />}
      </div>
      <div className={styles.body}>
        <a className={own.text} href={hrefOf({ selection: { kind: 'memory', id } })}>
          <HighlightedText text={excerpt(content)} question={question} />
        </a>
        <MemoryChips memory={{ ...memory, status }} domain={isOneDomain ? undefined : domain} />
        {actions}
      </div>
      {why !== undefined && <ScorePanel why={why} score={memory.score} />}
    </li>
  );
}

function ScorePanel({
  why: { parts, factors, raw },
  score,
}: {
  readonly why: ScoreExplanation;
  readonly score: number;
}) {
  const summary = parts.map(({ title, share }) => `${title} ${share.toFixed(2)}`).join(', ');
  return (
    <div className={styles.why}>
      <div className={styles.score}>
        <span className={styles.stack} role="img" aria-label={summary}>
          {parts.map(({ signal, title, share, length }) => (
            <span
              key={signal}
              data-signal={signal}
              style={{ width: `${length * 100}%` }}
              title={`${title}: ${share.toFixed(3)}`}
            />
          ))}
        </span>
        <b title="Score: the sum of the bar × (confidence × importance × recency)^0.1 × support">{score.toFixed(2)}</b>
      </div>
      <dl className={`${styles.factors} ${own.factors}`}>
        {factors.map((factor) => (
          <Meter key={factor.title} {...factor} />
        ))}
      </dl>
      <ul className={own.raw} aria-label="Raw signals">
        {raw.map(({ title, text }) => (
          <li key={title}>
            {title} {text}
          </li>
        ))}
      </ul>
    </div>
  );
}
