import { Unplug } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { notify, notifyError } from '../../app/toasts.tsx';
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { counted } from '../../components/format.ts';
import { Problem } from '../../components/problem.tsx';
import type { ListedClient, ServerSettings } from '../../source/server-settings.ts';
import { accessText } from './settings-model.ts';
import styles from './settings.module.css';
import { Fact } from './tokens.tsx';
import { useAnswer } from './use-answer.ts';

/** The clients of a server. */
export function Sessions({ settings }: { readonly settings: ServerSettings }) {
  const { data, error, reload } = useAnswer(useCallback(() => settings.sessions(), [settings]));
  const [own, setOwn] = useState<string>();
  useEffect(() => void settings.ownLabel().then(setOwn, () => undefined), [settings, data]);
  const end = async (id: string, name: string): Promise<void> => {
    const isSure = await confirm({
      title: `End the session of ${name}?`,
      text: 'Its streams are closed. The client can begin another session; revoke its token to keep it out.',
      action: 'End session',
      isDanger: true,
    });
    if (!isSure) return;
    const answer = await settings.endSession(id);
    if (answer.ok) notify({ text: `Ended the session of ${name}` });
    else notifyError(answer.error);
    reload();
  };
  return (
    <section className={styles.section} aria-labelledby="settings-sessions" aria-busy={data === undefined}>
      <h2 id="settings-sessions">Sessions</h2>
      <p className={styles.note}>The clients of this server. Clients choose their own names.</p>
      {error !== undefined && <Problem problem={error} onRetry={reload} />}
      {data !== undefined && (
        <ul className={styles.rows} aria-label="Sessions">
          {data.sessions.map((session, index) => {
            const { id, label } = session;
            const name = nameOf(session);
            const isOwn = label === own;
            return (
              <li key={id ?? `${label} ${name} ${index}`}>
                <span className={styles.name}>
                  {name}
                  {isOwn && <span className={styles.own}>this page</span>}
                </span>
                <span className={styles.rights}>
                  {accessText(session)} · {counted(session.calls, 'call')}
                  {id === undefined && session.kind !== 'stdio' && ' · without a session'}
                </span>
                <span className={styles.facts}>
                  <Fact label="since" time={session.since} />
                  <Fact label="last call" time={session.last_call} />
                </span>
                {data.can_change && id !== undefined && !isOwn && (
                  <Button icon={Unplug} aria-label={`End the session of ${name}`} onPress={() => void end(id, name)}>
                    End
                  </Button>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

function nameOf({ client }: ListedClient): string {
  return client === '' ? 'a client without a name' : client;
}
