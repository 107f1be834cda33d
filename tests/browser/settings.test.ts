/** The settings view on a running server: tokens and sessions. */
import { join } from 'node:path';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './support/axe.ts';
import { complaints, launch } from './support/browser.ts';
import { LimbicServer } from './support/limbic-server.ts';
import { testAddress, up } from './support/memory.ts';
import { screenshotFolder, temporaryFolder } from './support/places.ts';

const shots = screenshotFolder('settings');
const database = join(temporaryFolder(), 'memory.db');
let browser: BrowserContext;
let server: LimbicServer;
let page: Page;
let errors: string[];

beforeAll(async () => {
  browser = await launch();
  server = await LimbicServer.start(database, { options: ['--no-model'] });
  ({ page, errors } = await explorer(server.address));
});
afterAll(async () => {
  await browser.close();
  await server.kill();
});

async function explorer(address: string): Promise<{ readonly page: Page; readonly errors: string[] }> {
  const page = await browser.newPage();
  const errors = complaints(page);
  // Colours would change with a transition.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(testAddress(address));
  await up(page);
  await page.evaluate(() => void (location.hash = '#/settings'));
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  return { page, errors };
}

const tokens = (page: Page) => page.getByRole('list', { name: 'Tokens' }).getByRole('listitem');
const sessions = (page: Page) => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');

describe('the settings view', () => {
  it('creates a token, whose text it shows once', async () => {
    await page.getByText('There are no named tokens.').waitFor();
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog', { name: 'New token' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('laptop');
    await dialog.getByRole('checkbox', { name: 'memory' }).check();
    await dialog.getByRole('checkbox', { name: 'Read-only' }).check();
    await page.screenshot({ path: join(shots, 'new-token.png') });
    await dialog.getByRole('button', { name: 'Create' }).click();
    const created = page.getByRole('dialog', { name: 'Token created' });
    const text = await created.getByLabel('Token', { exact: true }).innerText();
    expect(text).toMatch(/^limbic_[\w-]{43}$/);
    // Neither a click beside the dialog nor Escape loses it.
    await page.mouse.click(5, 5);
    await page.keyboard.press('Escape');
    await page.screenshot({ path: join(shots, 'created.png') });
    await created.getByRole('button', { name: 'Done' }).click();
    await tokens(page).getByText('memory · read-only').waitFor();
    await tokens(page).getByText('last used: never').waitFor();
    expect(await page.content()).not.toContain(text);
  });

  it('shows no tokens to a named token, which can neither create nor revoke any', async () => {
    const { token } = await page.evaluate(async () => {
      const answer = await window.limbic.settings?.createToken({ name: 'desk', read_only: false, explorer: true });
      return { token: answer?.ok === true ? answer.value : '' };
    });
    const { page: other, errors: others } = await explorer(server.addressWith(token));
    await other.getByText('The token "desk" cannot list or change tokens', { exact: false }).waitFor();
    await sessions(other).filter({ hasText: 'this page' }).getByText('desk · ', { exact: false }).waitFor();
    expect(await tokens(other).count()).toBe(0);
    expect(await other.getByRole('main').getByRole('button').count()).toBe(0);
    expect(await other.content()).not.toContain('laptop');
    await other.screenshot({ path: join(shots, 'named-token.png') });
    expect(others).toEqual([]);
    await other.close();
    await tokens(page).getByRole('button', { name: 'Revoke desk' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await tokens(page).getByText('desk').waitFor({ state: 'detached' });
  });

  it('loses no token by a key that comes while it is created', async () => {
    let release = (): void => {};
    const isPressed = new Promise<void>((resolve) => {
      release = resolve;
    });
    const isCreation = (request: Request): boolean =>
      request.method() === 'POST' && request.url().endsWith('/api/tokens');
    await page.route('**/api/tokens', async (route) => {
      if (isCreation(route.request())) await isPressed;
      await route.continue();
    });
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog', { name: 'New token' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('slow');
    const isAsked = page.waitForRequest(isCreation);
    await page.keyboard.press('Enter');
    await isAsked;
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    release();
    await page.getByRole('dialog', { name: 'Token created' }).getByRole('button', { name: 'Done' }).click();
    await page.unroute('**/api/tokens');
    await tokens(page).getByRole('button', { name: 'Revoke slow' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await tokens(page).getByText('slow').waitFor({ state: 'detached' });
  });

  it('explains why a name is rejected', async () => {
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog', { name: 'New token' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('laptop');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('There is a token "laptop" already').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('shows who is connected, and ends a session', async () => {
    const agent = await server.connect('an-agent');
    await agent.callTool({ name: 'memory_list', arguments: {} });
    const line = sessions(page).filter({ hasText: 'an-agent' });
    await line.getByText('the server’s token · 1 call', { exact: false }).waitFor();
    const own = sessions(page).filter({ hasText: 'this page' });
    await own.waitFor();
    expect(await own.getByRole('button').count()).toBe(0);
    await line.getByRole('button', { name: 'End the session of an-agent' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'End session' }).click();
    await line.waitFor({ state: 'detached' });
    await expect(agent.callTool({ name: 'memory_list', arguments: {} })).rejects.toThrow();
  });

  it('says that the memory is not encrypted', async () => {
    await page.getByRole('contentinfo', { name: 'Status' }).getByText('Not encrypted').waitFor();
    await page.getByText('anyone who can read it can read every memory', { exact: false }).waitFor();
  });

  it.each(['light', 'dark'] as const)('has no accessibility violations: %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    for (const [what, width] of [
      ['wide', 1280],
      ['narrow', 390],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      const found = await violations(page);
      expect(found, found.join('\n')).toEqual([]);
      await page.screenshot({ path: join(shots, `${what}-${colorScheme}.png`) });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('dialog', { name: 'New token' }).waitFor();
    const found = await violations(page);
    expect(found, found.join('\n')).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  it('shows the settings of a read-only server without changing them', async () => {
    const reader = await LimbicServer.start(database, { options: ['--no-model'], isReadOnly: true });
    const other = (await explorer(reader.address)).page;
    await tokens(other).getByText('laptop').waitFor();
    await other.getByText('started with --read-only', { exact: false }).waitFor();
    expect(await other.getByRole('main').getByRole('button').count()).toBe(0);
    await other.close();
    await reader.kill();
  });

  it('creates tokens for the user of a server with --user', async () => {
    const alone = await LimbicServer.start(join(temporaryFolder(), 'memory.db'), {
      options: ['--no-model', '--user', 'ada'],
    });
    const { page: other } = await explorer(alone.address);
    await other.getByRole('button', { name: 'New token' }).click();
    const dialog = other.getByRole('dialog', { name: 'New token' });
    expect(await dialog.getByRole('textbox', { name: 'User' }).inputValue()).toBe('ada');
    expect(await dialog.getByRole('checkbox', { name: 'graph' }).count()).toBe(0);
    await dialog.getByRole('textbox', { name: 'Name' }).fill('hers');
    await dialog.getByRole('textbox', { name: 'User' }).fill('ben');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('This server works for the user "ada" only', { exact: false }).waitFor();
    await dialog.getByRole('textbox', { name: 'User' }).fill('ada');
    await other.screenshot({ path: join(shots, 'user.png') });
    await dialog.getByRole('button', { name: 'Create' }).click();
    await other.getByRole('dialog', { name: 'Token created' }).getByRole('button', { name: 'Done' }).click();
    await tokens(other).getByText('memories of ada only', { exact: false }).waitFor();
    await other.close();
    await alone.kill();
  });

  it('revokes a token', async () => {
    await tokens(page).getByRole('button', { name: 'Revoke laptop' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('There are no named tokens.').waitFor();
    // The browser logs the response of the rejected name.
    expect(errors.filter((text) => !text.includes('409'))).toEqual([]);
  });
});
