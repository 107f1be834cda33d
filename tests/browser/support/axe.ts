import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The violations that axe finds, with their elements. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(
    async () => (await (window as unknown as { axe: typeof axe }).axe.run()).violations,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary?.replaceAll('\n', ' ') ?? ''}`,
    ),
  );
}
