/** Folders on a file server of their own and a browser, as nearly every file of tests needs them. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { complaints, launch, type LaunchOptions } from './browser.ts';
import { open } from './memory.ts';
import { PAGE } from './places.ts';
import { serveFolders, type StaticServer } from './static-server.ts';

interface Options extends LaunchOptions {
  /** Instead of the built page in `/some/where/`; the first is where pages are opened. */
  readonly folders?: Readonly<Record<string, string>>;
}

/** Both are there when the tests of a file run, and end after them. */
export class BuiltPage {
  #server: StaticServer | undefined;
  #browser: BrowserContext | undefined;

  constructor({ folders = { '/some/where/': PAGE }, ...options }: Options) {
    beforeAll(async () => {
      this.#server = await serveFolders(folders);
      this.#browser = await launch(options);
    });
    afterAll(async () => {
      await this.#browser?.close();
      await this.#server?.end();
    });
  }

  get url(): string {
    return started(this.#server).url;
  }

  get browser(): BrowserContext {
    return started(this.#browser);
  }

  /** A tab with nothing in it. */
  newPage(): Promise<Page> {
    return this.browser.newPage();
  }

  /** A tab with the explorer in it; `path` as `?database=NAME#/VIEW`. */
  async tab(path: string): Promise<Page> {
    const page = await this.newPage();
    await open(page, this.url, path);
    return page;
  }

  /** As {@link tab}, with the errors of the page as they occur. `prepare` is called before the explorer is opened. */
  async watchedTab(
    path: string,
    prepare?: (page: Page) => Promise<void>,
  ): Promise<{ readonly page: Page; readonly errors: string[] }> {
    const page = await this.newPage();
    const errors = complaints(page);
    await prepare?.(page);
    await open(page, this.url, path);
    return { page, errors };
  }
}

export function builtPage(options: Options = {}): BuiltPage {
  return new BuiltPage(options);
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is no server and no browser before the first test');
  return value;
}
