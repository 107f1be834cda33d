/** Waiting for a page that has drawn what it was asked for. */
import type { Page } from 'playwright-core';

/** How long a document must not have changed. */
const QUIET_MILLIS = 400;
/** The longest wait: a view may change its document all the time. */
const MAX_MILLIS = 1200;

/** Resolves when the document has not changed for a while and nothing in it is loading. */
export async function waitForIdle(page: Page): Promise<void> {
  await page.evaluate(
    ([quiet, max]) =>
      new Promise<void>((resolve) => {
        const end = (): void => {
          observer.disconnect();
          resolve();
        };
        let timer = setTimeout(end, quiet);
        setTimeout(end, max);
        const observer = new MutationObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(end, quiet);
        });
        observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      }),
    [QUIET_MILLIS, MAX_MILLIS] as const,
  );
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'hidden' });
}
