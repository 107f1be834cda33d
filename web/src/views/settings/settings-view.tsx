import { encryptionSentence } from '../../components/encryption.ts';
import { useSource, useStore } from '../../source/source-context.tsx';
import { BrowserEncryption } from './browser-encryption.tsx';
import { BrowserStorage } from './browser-storage.tsx';
import { Sessions } from './sessions.tsx';
import styles from './settings.module.css';
import { Tokens } from './tokens.tsx';

/**
 * Settings of a server: tokens and sessions; whether a browser keeps the memory; and whether the memory is encrypted,
 * which a page without a server can change.
 */
export function SettingsView() {
  const { kind, settings, status, encryption } = useSource();
  const { isEncrypted, isLocked, storage } = useStore(status);
  return (
    // It scrolls, so it must be reachable by keyboard.
    <div className={styles.view} role="region" aria-labelledby="settings-title" tabIndex={0}>
      <h1 id="settings-title" className={styles.title}>
        Settings
      </h1>
      {settings !== undefined && (
        <>
          <Tokens settings={settings} />
          <Sessions settings={settings} />
        </>
      )}
      {kind === 'browser' && storage !== 'unknown' && (
        <section className={styles.section} aria-labelledby="settings-storage">
          <h2 id="settings-storage">Storage</h2>
          <BrowserStorage />
        </section>
      )}
      {isEncrypted !== undefined && (
        <section className={styles.section} aria-labelledby="settings-encryption">
          <h2 id="settings-encryption">Encryption</h2>
          <p className={styles.note}>{encryptionSentence(isEncrypted)}</p>
          {encryption !== undefined && storage === 'browser' && isLocked !== true && (
            <BrowserEncryption encryption={encryption} isEncrypted={isEncrypted} />
          )}
        </section>
      )}
      {settings === undefined && (
        <section className={styles.section} aria-labelledby="settings-clients">
          <h2 id="settings-clients">Clients</h2>
          <p className={styles.note}>
            This memory is in this page: no other client can reach it, so it has no tokens and no sessions. Start{' '}
            <code>limbic-memory --ui</code> to share a memory with agents.
          </p>
        </section>
      )}
    </div>
  );
}
