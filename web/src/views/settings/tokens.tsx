import { Plus, Trash2 } from 'lucide-react';
import { useCallback, useState } from 'react';
import { notify, notifyError } from '../../app/toasts.tsx';
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { ago, fullTime } from '../../components/format.ts';
import { Problem } from '../../components/problem.tsx';
import type { ListedToken, ServerSettings } from '../../source/server-settings.ts';
import { NewTokenDialog } from './new-token.tsx';
import { expiryText, rightsText } from './settings-model.ts';
import styles from './settings.module.css';
import { useAnswer } from './use-answer.ts';

/** The named tokens of a server. */
export function Tokens({ settings }: { readonly settings: ServerSettings }) {
  const { data, error, reload } = useAnswer(useCallback(() => settings.tokens(), [settings]));
  const [isCreating, setCreating] = useState(false);
  const revoke = async ({ name }: ListedToken): Promise<void> => {
    const isSure = await confirm({
      title: `Revoke the token “${name}”?`,
      text: 'Its clients are refused from their next request on, and their sessions end. This cannot be undone.',
      action: 'Revoke',
      isDanger: true,
    });
    if (!isSure) return;
    const answer = await settings.revokeToken(name);
    if (answer.ok) notify({ text: `Revoked the token “${name}”` });
    else notifyError(answer.error);
    reload();
  };
  return (
    <section className={styles.section} aria-labelledby="settings-tokens" aria-busy={data === undefined}>
      <div className={styles.head}>
        <h2 id="settings-tokens">Tokens</h2>
        {data?.can_change === true && (
          <Button icon={Plus} onPress={() => setCreating(true)}>
            New token
          </Button>
        )}
      </div>
      <p className={styles.note}>
        Clients over HTTP send a token. The server’s own tokens are not listed: it prints them, or the file that holds
        them, when it starts.
      </p>
      {data?.reason !== undefined && <p className={styles.note}>{data.reason}.</p>}
      {error !== undefined && <Problem problem={error} onRetry={reload} />}
      {data?.tokens?.length === 0 && <p className={styles.none}>There are no named tokens.</p>}
      {data?.tokens !== undefined && data.tokens.length > 0 && (
        <ul className={styles.rows} aria-label="Tokens">
          {data.tokens.map((token) => (
            <li key={token.name}>
              <span className={styles.name}>{token.name}</span>
              <span className={styles.rights}>{rightsText(token)}</span>
              <span className={styles.facts}>
                <Fact label="created" time={token.created} />
                <span>expires: {expiryText(token, Date.now())}</span>
                <Fact label="last used" time={token.last_used} />
              </span>
              {data.can_change && (
                <Button
                  variant="danger"
                  icon={Trash2}
                  aria-label={`Revoke ${token.name}`}
                  onPress={() => void revoke(token)}
                >
                  Revoke
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {isCreating && data !== undefined && (
        <NewTokenDialog settings={settings} list={data} onCreated={reload} onClose={() => setCreating(false)} />
      )}
    </section>
  );
}

/** A time with its label. */
export function Fact({ label, time }: { readonly label: string; readonly time: string | undefined }) {
  return (
    <span title={time === undefined ? undefined : fullTime(time)}>
      {label}: {time === undefined ? 'never' : ago(time, Date.now())}
    </span>
  );
}
