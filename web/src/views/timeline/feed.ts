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
  #isRenewing = false;
  /** Whether the data has changed since the last renewal began. */
  #isOutdated = false;
  /** How often the list was renewed. */
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
    // A renewed list has another end.
    if (round !== this.#round) return;
    this.#isAsking = false;
    if (answer.ok) {
      this.events = [...(this.events ?? []), ...answer.value.events];
      this.#cursor = answer.value.next_cursor;
    } else this.error = answer.error;
    this.#changes.update((count) => count + 1);
  }

  /**
   * Starts again from the newest event, and fetches as many events as there were, so that the reader's place stays. The
   * current list stays until all answers have arrived, also if one of them is an error. If it is called meanwhile, it
   * ends with one more renewal: further changes must not keep the first from ending.
   */
  async renew(): Promise<void> {
    this.#isOutdated = true;
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    while (this.#isOutdated) {
      this.#isOutdated = false;
      await this.#renewOnce();
    }
    this.#isRenewing = false;
  }

  async #renewOnce(): Promise<void> {
    const events: MemoryEvent[] = [];
    let cursor: string | undefined;
    let error: ToolError | undefined;
    do {
      const answer = await this.#load(cursor);
      if (!answer.ok) {
        error = answer.error;
        break;
      }
      events.push(...answer.value.events);
      cursor = answer.value.next_cursor;
    } while (cursor !== undefined && events.length < (this.events?.length ?? 0));
    this.error = error;
    if (error === undefined) {
      this.#round += 1;
      this.#isAsking = false;
      this.events = events;
      this.#cursor = cursor;
    }
    this.#changes.update((count) => count + 1);
  }
}
