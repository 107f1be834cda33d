import { ServerOff } from 'lucide-react';
import { encryptionSentence } from '../../components/encryption.ts';
import { Empty } from '../../components/empty.tsx';
import { useSource, useStore } from '../../source/source-context.tsx';
import { Sessions } from './sessions.tsx';
import styles from './settings.module.css';
import { Tokens } from './tokens.tsx';

/** Settings of a server: tokens, sessions, and whether the memory is encrypted. */
export function SettingsView() {
  const { settings, status } = useSource();
  const { isEncrypted } = useStore(status);
  return (
    <div className={styles.view}>
      <h1 className={styles.title}>Settings</h1>
      {settings === undefined ? (
        <Empty icon={ServerOff} title="No server">
          <p>
            This memory is in the browser. It has no tokens and no sessions: nobody but this page can reach it. Start{' '}
            <code>limbic-memory --ui</code> to share a memory with agents.
          </p>
        </Empty>
      ) : (
        <>
          <Tokens settings={settings} />
          <Sessions settings={settings} />
        </>
      )}
      {isEncrypted !== undefined && (
        <section className={styles.section} aria-labelledby="settings-encryption">
          <h2 id="settings-encryption">Encryption</h2>
          <p className={styles.note}>{encryptionSentence(isEncrypted)}</p>
        </section>
      )}
    </div>
  );
}
