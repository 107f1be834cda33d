import { createStore, type Store } from './store.ts';

/** One call, as a line of the log. */
export interface LoggedCall {
  readonly id: number;
  readonly tool: string;
  /** Arguments as JSON text. */
  readonly args: string;
  /** Answer as JSON text; `undefined` while the call runs. */
  readonly answer?: string;
  /** Lengths of the complete arguments and answer, in characters; the log may store only the start of each. */
  readonly argsLength?: number;
  readonly answerLength?: number;
  readonly isError?: boolean;
  readonly startedMillis: number;
  readonly tookMillis?: number;
  /** The caller: this page, or the name of another client. */
  readonly client: string;
}

const MAX_CALLS = 500;
/** Maximum length of a text in the log; longer ones are truncated. */
const MAX_TEXT = 200_000;

export const THIS_PAGE = 'this page';

/** The last calls, oldest first. */
export class CallLog {
  readonly #calls = createStore<readonly LoggedCall[]>([]);
  #nextId = 0;

  get calls(): Store<readonly LoggedCall[]> {
    return this.#calls;
  }

  /** Records the start of a call. Returns a function that records its end. */
  begin(tool: string, args: string): (answer: string, isError: boolean) => void {
    const id = this.#nextId++;
    const startMillis = performance.now();
    this.#append({ id, tool, args: cut(args), argsLength: args.length, startedMillis: Date.now(), client: THIS_PAGE });
    return (answer, isError) => {
      const tookMillis = performance.now() - startMillis;
      this.#calls.update((calls) =>
        calls.map((call) =>
          call.id === id ? { ...call, answer: cut(answer), answerLength: answer.length, isError, tookMillis } : call,
        ),
      );
    };
  }

  /** Records a call of another client. */
  note(call: Omit<LoggedCall, 'id'>): void {
    this.#append({ ...call, id: this.#nextId++ });
  }

  clear(): void {
    this.#calls.set([]);
  }

  #append(call: LoggedCall): void {
    this.#calls.update((calls) => [...calls.slice(-(MAX_CALLS - 1)), call]);
  }
}

function cut(text: string): string {
  return text.slice(0, MAX_TEXT);
}
