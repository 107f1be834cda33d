/** Debian's Chromium, as tests start it, and pages with the explorer in them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { temporaryFolder } from './places.ts';

/** A name of this machine that is not `localhost`: over plain http, browsers do not take it for secure. */
export const INSECURE_HOST = 'explorer.test';

const ARGS = [
  `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--enable-unsafe-swiftshader',
];

/** Default timeout of an action or an expectation. */
const WAIT_MILLIS = 15_000;

export interface LaunchOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Whether the page may install its service worker. */
  readonly allowsOffline?: boolean;
  /** Whether the browser stores nothing for sites. */
  readonly blocksStorage?: boolean;
}

/** Launches a browser with a temporary profile. */
export async function launch(options: LaunchOptions = {}): Promise<BrowserContext> {
  const viewport = options.viewport ?? { width: 1280, height: 800 };
  const profile = temporaryFolder();
  if (options.blocksStorage === true) writeBlocking(profile);
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: process.env['LIMBIC_CHROMIUM'] ?? '/usr/bin/chromium',
    headless: true,
    args: ARGS,
    viewport,
    acceptDownloads: true,
    // A test cannot intercept requests of a service worker.
    serviceWorkers: options.allowsOffline === true ? 'allow' : 'block',
  });
  browser.setDefaultTimeout(WAIT_MILLIS);
  return browser;
}

/** Writes the preferences of a profile that blocks cookies, and with them all storage. */
function writeBlocking(profile: string): void {
  const folder = join(profile, 'Default');
  mkdirSync(folder, { recursive: true });
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
  writeFileSync(join(folder, 'Preferences'), JSON.stringify(preferences));
}

/** Collects the errors of a page: uncaught exceptions and errors in its console. */
export function complaints(page: Page): string[] {
  const found: string[] = [];
  page.on('pageerror', (error) => found.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') found.push(`console: ${message.text()} ${message.location().url}`);
  });
  return found;
}

/** Returns the box of a visible element in CSS pixels. */
export async function boxOf(element: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await element.boundingBox();
  if (box === null) throw new Error(`not visible: ${element}`);
  return box;
}
