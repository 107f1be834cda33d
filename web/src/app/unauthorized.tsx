import { useEffect } from 'react';
import styles from './unauthorized.module.css';

/** A server is there, but does not know this page's token. */
export function Unauthorized({ reason }: { readonly reason: string }) {
  useEffect(() => {
    // The right address differs only in its fragment, so the browser does not load the page anew.
    const again = (): void => location.reload();
    addEventListener('hashchange', again);
    return () => removeEventListener('hashchange', again);
  }, []);
  return (
    <main className={styles.unauthorized}>
      <h1>This page is not authorised</h1>
      <p>{reason}</p>
      <p>Open the address that the server printed when it started; it contains the token.</p>
    </main>
  );
}
