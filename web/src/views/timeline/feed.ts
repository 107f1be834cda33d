import { createStore, type Store } from '../../source/store.ts';
import type { Answer, Output, ToolError } from '../../source/tools.ts';

type Page = Output<'explore_events'>;
export type MemoryEvent = Page['events'][number];

/** Events of a query, newest first, fetched as the user scrolls. */
export class Feed {
  readonly #load: (cursor: string | undefined) => Promise<Answer<Page>>;
  readonly #changes = createStore(0);
  #cursor: string | undefined;
  #isAsking = false;
  #round = 0;
  events: readonly MemoryEvent[] | undefined;
  error: ToolError | undefined;

  constructor(load: (cursor: string | undefined) => Promise<Answer<Page>>) {
    this.#load = load;
  }

  get changes(): Store<number> {
    return this.#changes;
  }

  get hasMore(): boolean {
    return this.events === undefined || this.#cursor !== undefined;
  }

  /**
   * Fetches the next events, unless a request is running or there are no more. After an error it does nothing until
   * `renew`: the end of the list asks again and again while it is in view.
   */
  async more(): Promise<void> {
    if (this.#isAsking || !this.hasMore || this.error !== undefined) return;
    this.#isAsking = true;
    const round = this.#round;
    const answer = await this.#load(this.#cursor);
    if (round !== this.#round) return;
    this.#isAsking = false;
    this.error = answer.ok ? undefined : answer.error;
    if (answer.ok) {
      this.events = [...(this.events ?? []), ...answer.value.events];
      this.#cursor = answer.value.next_cursor;
    }
    this.#changes.update((count) => count + 1);
  }

  /**
   * Starts again from the newest event, and fetches as many events as there were, so that the reader's place stays. The
   * current list stays until all answers have arrived, also if one of them is an error.
   */
  async renew(): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    this.#isAsking = true;
    const wanted = this.events?.length ?? 0;
    const events: MemoryEvent[] = [];
    let cursor: string | undefined;
    do {
      const answer = await this.#load(cursor);
      if (round !== this.#round) return;
      this.error = answer.ok ? undefined : answer.error;
      if (!answer.ok) break;
      events.push(...answer.value.events);
      cursor = answer.value.next_cursor;
    } while (cursor !== undefined && events.length < wanted);
    this.#isAsking = false;
    if (this.error === undefined) {
      this.events = events;
      this.#cursor = cursor;
    }
    this.#changes.update((count) => count + 1);
  }
}
