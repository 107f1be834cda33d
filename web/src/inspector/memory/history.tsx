import { ago, counted, fullTime, percent } from '../../components/format.ts';
import type { Output } from '../../source/tools.ts';
import lines from '../line.module.css';
import { Section } from '../section.tsx';
import styles from './lists.module.css';

interface Props {
  readonly history: Output<'explore_memory'>['history'];
  readonly omitted: number | undefined;
}

/** Earlier versions, latest first. */
export function History({ history, omitted = 0 }: Props) {
  return (
    <Section title="Earlier versions" count={history.length + omitted}>
      <ol>
        {history.toReversed().map(({ content, confidence, replaced_at }, index) => (
          <li key={history.length - index} className={styles.earlier}>
            <p>{content}</p>
            <p className={lines.meta}>
              <span title={fullTime(replaced_at)}>until {ago(replaced_at, Date.now())}</span>
              <span>confidence {percent(confidence)}</span>
            </p>
          </li>
        ))}
      </ol>
      {omitted > 0 && <p className={styles.more}>and {counted(omitted, 'more version')}</p>}
    </Section>
  );
}
