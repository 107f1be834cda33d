/** A file server with the built page, and a browser, for the tests of one file. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { complaints, launch, type LaunchOptions } from './browser.ts';
import { open } from './memory.ts';
import { PAGE } from './places.ts';
import { serveFolders, type StaticServer } from './static-server.ts';

interface Options extends LaunchOptions {
  /** Folders to serve by path, instead of the built page in `/some/where/`; pages are opened in the first. */
  readonly folders?: Readonly<Record<string, string>>;
}

/** Starts the server and the browser before the tests of a file, and ends them afterwards. */
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

  /** Opens an empty tab. */
  newPage(): Promise<Page> {
    return this.browser.newPage();
  }

  /** Opens the explorer in a new tab; `path` as `?database=NAME#/VIEW`. */
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
  if (value === undefined) throw new Error('the server and the browser start with the first test');
  return value;
}
