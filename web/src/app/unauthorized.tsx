import { useEffect } from 'react';
import styles from './unauthorized.module.css';

/** Shown if the server rejects the page's token. */
export function Unauthorized({ reason }: { readonly reason: string }) {
  useEffect(() => {
    // The address with the token differs only in its fragment, so the browser does not reload the page.
    const again = (): void => location.reload();
    addEventListener('hashchange', again);
    return () => removeEventListener('hashchange', again);
  }, []);
  return (
    <main className={styles.unauthorized}>
      <h1>This page is not authorised</h1>
      <p>{reason}</p>
      <p>
        Open the address that the server printed when it started, or the one in the file that it named; it contains the
        token.
      </p>
    </main>
  );
}
