import { useRoute } from '../../../app/use-route.ts';
import { memoryTitle } from '../../../components/memory-title.ts';
import styles from './memory-plan.module.css';
import { changeText, type Line, type PlanGroup } from './plan.ts';

interface Props {
  readonly group: PlanGroup;
  /** Whether the plan was applied: deleted memories cannot be opened. */
  readonly isDone?: boolean;
}

/** The changes of one action, by memory, with reasons. */
export function PlanList({ group: { action, title, detail, lines, more }, isDone = false }: Props) {
  return (
    <section className={styles.group} aria-labelledby={`plan-${action}`}>
      <h2 id={`plan-${action}`}>
        {title} <span className={styles.count}>{(lines.length + more).toLocaleString('en')}</span>
      </h2>
      <p className={styles.detail}>{detail}</p>
      {lines.length > 0 && (
        <ul>
          {lines.map((line, index) => (
            <PlanLine key={`${line.id} ${line.change} ${index}`} line={line} isDone={isDone} />
          ))}
        </ul>
      )}
      {more > 0 && <p className={styles.detail}>{more.toLocaleString('en')} more in the next plan.</p>}
    </section>
  );
}

function PlanLine({ line, isDone }: { readonly line: Line; readonly isDone: boolean }) {
  const { hrefOf } = useRoute();
  const { id, start, change, to, reason } = line;
  const text = start === undefined ? id : memoryTitle(start);
  const isGone = isDone && change === 'delete';
  return (
    <li className={styles.line}>
      {isGone ? (
        <span className={styles.text}>{text}</span>
      ) : (
        <a className={styles.text} href={hrefOf({ selection: { kind: 'memory', id } })}>
          {text}
        </a>
      )}
      <span className={styles.change} data-change={change}>
        {changeText(line)}
        {change === 'superseded_by' && to !== undefined && (
          <>
            , <a href={hrefOf({ selection: { kind: 'memory', id: to } })}>by this one</a>
          </>
        )}
      </span>
      <span className={styles.reason}>{reason}</span>
    </li>
  );
}
