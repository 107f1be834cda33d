import { ago, counted, fullTime } from '../../components/format.ts';
import type { Output } from '../../source/tools.ts';
import { Section } from '../section.tsx';
import styles from './lists.module.css';

/** The accesses, sessions and audit log of a memory. */
export function UsageAndLog({ data: { memory, sessions, audit } }: { readonly data: Output<'explore_memory'> }) {
  const now = Date.now();
  return (
    <>
      <Section title="Usage" count={memory.access_count}>
        <p className={styles.more}>
          {memory.last_accessed === undefined ? (
            'Not accessed yet.'
          ) : (
            <span title={fullTime(memory.last_accessed)}>Last accessed {ago(memory.last_accessed, now)}.</span>
          )}
        </p>
        {sessions.length > 0 && (
          <details className={styles.details}>
            <summary>{counted(sessions.length, 'session')}</summary>
            <ul>
              {sessions.map(({ session_id, last_used }) => (
                <li key={session_id} className={styles.pair}>
                  <span>{session_id}</span>
                  <span title={fullTime(last_used)}>{ago(last_used, now)}</span>
                </li>
              ))}
            </ul>
          </details>
        )}
      </Section>
      {audit.length > 0 && (
        <Section title="Log" count={audit.length}>
          <ul>
            {audit.map(({ at, action, session_id, reason }, index) => (
              <li
                key={`${at} ${index}`}
                className={styles.log}
                title={session_id === undefined ? undefined : `Session ${session_id}`}
              >
                <span className={styles.pair}>
                  <span>{action}</span>
                  <span title={fullTime(at)}>{ago(at, now)}</span>
                </span>
                {reason !== undefined && <span className={styles.reason}>{reason}</span>}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}
