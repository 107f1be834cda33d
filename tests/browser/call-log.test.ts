/** The log of calls, with the arguments and the answer of one. */
import { expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import { builtPage } from './support/built-page.ts';
import { goTo } from './support/memory.ts';

const built = builtPage();

it.each(['light', 'dark'] as const)('has no accessibility violations: %s', async (colorScheme) => {
  const page = await built.tab('?database=call-log.db&memory');
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await goTo(page, '#/tools?tab=log');
  await page.getByRole('grid', { name: 'Calls' }).getByRole('row').nth(1).click();
  await page.getByRole('region', { name: /^Call of/ }).waitFor();
  const found = await violations(page);
  expect(found, found.join('\n')).toEqual([]);
  await page.close();
});
