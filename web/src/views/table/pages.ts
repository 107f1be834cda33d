import { createStore, type Store } from '../../source/store.ts';
import type { Answer, ToolError } from '../../source/tools.ts';

interface Page<R> {
  readonly rows: readonly R[];
  readonly total: number;
}

/** Fetches a part of a list. */
export type LoadPage<R> = (offset: number, limit: number) => Promise<Answer<Page<R>>>;

export const PAGE_ROWS = 100;
/** Maximum number of rows per call. */
const MAX_CALL_ROWS = 1000;

/** A long list that is loaded page by page, as pages become visible. */
export class Pages<R> {
  readonly #load: LoadPage<R>;
  readonly #pages = new Map<number, readonly R[]>();
  readonly #asked = new Set<number>();
  readonly #changes = createStore(0);
  #sight = { first: 0, last: 0 };
  /** Incremented by `renew`; answers of earlier rounds are discarded. */
  #round = 0;
  total: number | undefined;
  error: ToolError | undefined;

  constructor(load: LoadPage<R>) {
    this.#load = load;
  }

  /** Counts what has arrived. */
  get changes(): Store<number> {
    return this.#changes;
  }

  rowAt(index: number): R | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
  }

  /** Sets the visible rows and fetches their pages unless they are loaded. */
  see(first: number, last: number): void {
    this.#sight = { first, last };
    for (let page = Math.floor(first / PAGE_ROWS); page <= Math.floor(last / PAGE_ROWS); page += 1) {
      if (!this.#pages.has(page) && !this.#asked.has(page)) void this.#fetch(page);
    }
  }

  /** Fetches the visible pages again and drops the others. Visible rows stay until the new ones arrive. */
  renew(): void {
    this.#round += 1;
    this.#asked.clear();
    this.error = undefined;
    const [first, last] = [Math.floor(this.#sight.first / PAGE_ROWS), Math.floor(this.#sight.last / PAGE_ROWS)];
    for (const page of [...this.#pages.keys()]) if (page < first || page > last) this.#pages.delete(page);
    for (let page = first; page <= last; page += 1) void this.#fetch(page);
  }

  /** Returns rows by index; fetches those that are not loaded. */
  async between(first: number, last: number): Promise<Answer<readonly R[]>> {
    const rows: R[] = [];
    for (let index = first; index <= last; index += 1) {
      const row = this.rowAt(index);
      if (row === undefined) return this.#loadAll(first, last);
      rows.push(row);
    }
    return { ok: true, value: rows, text: '' };
  }

  async #loadAll(first: number, last: number): Promise<Answer<readonly R[]>> {
    const rows: R[] = [];
    for (let offset = first; offset <= last; offset += MAX_CALL_ROWS) {
      const answer = await this.#load(offset, Math.min(MAX_CALL_ROWS, last - offset + 1));
      if (!answer.ok) return answer;
      rows.push(...answer.value.rows);
    }
    return { ok: true, value: rows, text: '' };
  }

  async #fetch(page: number): Promise<void> {
    const round = this.#round;
    this.#asked.add(page);
    const answer = await this.#load(page * PAGE_ROWS, PAGE_ROWS);
    if (round !== this.#round) return;
    this.#asked.delete(page);
    if (answer.ok) {
      this.error = undefined;
      this.total = answer.value.total;
      this.#pages.set(page, answer.value.rows);
    } else {
      this.error = answer.error;
      // Only `renew` fetches it again: otherwise a failing list would be requested endlessly.
      this.#asked.add(page);
    }
    this.#changes.update((count) => count + 1);
  }
}
