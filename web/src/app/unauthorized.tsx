import { useEffect } from 'react';
import styles from './unauthorized.module.css';

/** A server is there, but does not know this page's token. */
export function Refused({ reason }: { readonly reason: string }) {
  useEffect(() => {
    // The right address differs only in its fragment, so the browser does not load the page anew.
    const again = (): void => location.reload();
    addEventListener('hashchange', again);
    return () => removeEventListener('hashchange', again);
  }, []);
  return (
    <main className={styles.refused}>
      <h1>This page may not look into the memory yet</h1>
      <p>{reason}</p>
      <p>The server printed an address with a token when it started. Open that address.</p>
    </main>
  );
}
