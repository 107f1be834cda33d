import { type Core, FileCall } from 'limbic-pkg/core/limbic_core.js';
import { type CallAnswer, taken } from 'limbic-shell/answer.ts';
import { shown } from '../addresses.ts';
import type { Caller, CoreSession, ToolAccess } from '../messages.ts';
import { enterAs } from './enter.ts';
import type { OpenSource } from './file-source.ts';
import { NOT_IMPORTABLE } from './import-bounds.ts';

type Progress = (done: number, total: number) => void;

const PROGRESS_MILLIS = 100;

/** A call that reads a file, or waits for the code index. */
export interface FileCallOrder {
  readonly id: number;
  readonly tool: string;
  readonly args: string;
  readonly access: ToolAccess | undefined;
  readonly session: CoreSession | undefined;
  readonly caller: Caller;
}

/** A completed call. */
export interface FileCallDone {
  readonly order: FileCallOrder;
  readonly answer: CallAnswer;
}

interface Running {
  readonly order: FileCallOrder;
  /** The file; none for a call that waits. */
  readonly source: OpenSource | undefined;
  readonly progress: Progress;
  readonly call: FileCall;
}

/**
 * Calls that read a file or wait for the code index. They run in steps, one after the other in order of arrival, so
 * that other calls are answered in between.
 */
export class FileCalls {
  readonly #running: Running[] = [];

  /** The number of calls that have not completed. */
  get count(): number {
    return this.#running.length;
  }

  /** The call that runs the next step. */
  get first(): FileCallOrder | undefined {
    return this.#running[0]?.order;
  }

  /** Bytes of the file that it reads. */
  get firstBytes(): number | undefined {
    return this.#running[0]?.source?.size;
  }

  /** What its earlier steps have stored; `undefined` if that is nothing. */
  get firstStored(): string | undefined {
    return this.#running[0]?.call.stored;
  }

  /** Whether the call with this id runs in steps and has not completed. */
  has(id: number): boolean {
    return this.#running.some(({ order }) => order.id === id);
  }

  /** Adds a call without running a step. The file is closed when the call completes. */
  add(order: FileCallOrder, source: OpenSource, progress: Progress): void {
    const call = new FileCall(order.tool, order.args, source, order.session?.id);
    this.#running.push({ order, source, progress: throttled(progress), call });
  }

  /** Adds a call that waits for the code index, without running a step. */
  addWaiting(order: FileCallOrder, progress: Progress): void {
    const call = FileCall.without_file(order.tool, order.args, order.session?.id);
    this.#running.push({ order, source: undefined, progress: throttled(progress), call });
  }

  /** Runs a step of the first call, as its client, even if its session has ended. Throws only if the module trapped. */
  step(core: Core): FileCallDone | undefined {
    const running = this.#running[0];
    if (running === undefined) return undefined;
    const { order, source, progress, call } = running;
    // What a session without a caller stores would count as confirmed.
    enterAs(core, order);
    const answer = core.step(call, progress);
    if (answer === undefined) return undefined;
    this.#running.shift();
    call.free();
    source?.close();
    return { order, answer: shownTo(order, core, taken(answer)) };
  }

  /** Cancels a call; `undefined` if there is no such call. Stored records remain. */
  cancel(core: Core, id: number): CallAnswer | undefined {
    const index = this.#running.findIndex(({ order }) => order.id === id);
    const [running] = index === -1 ? [] : this.#running.splice(index, 1);
    if (running === undefined) return undefined;
    running.source?.close();
    return taken(core.interrupt(running.call));
  }
}

/** The error of an import whose file the client must not be able to distinguish from a missing one. */
const UNKNOWN_FILE: readonly string[] = ['source_unknown', 'source_unreadable'];

/** The answer for a client: over HTTP, a file of an unknown format is reported as missing. */
function shownTo({ tool, args, access }: FileCallOrder, core: Core, answer: CallAnswer): CallAnswer {
  if (access?.imports === undefined || !answer.isError) return answer;
  const { code } = JSON.parse(answer.text) as { readonly code: string };
  const path = UNKNOWN_FILE.includes(code) ? core.file_argument(tool, args) : undefined;
  return path === undefined ? answer : taken(core.file_error(shown(path), NOT_IMPORTABLE));
}

/** Limits progress reports to one per `PROGRESS_MILLIS`, plus the final one. */
function throttled(progress: Progress): Progress {
  let lastMillis = -PROGRESS_MILLIS;
  return (done, total) => {
    const millis = performance.now();
    if (done < total && millis - lastMillis < PROGRESS_MILLIS) return;
    lastMillis = millis;
    progress(done, total);
  };
}
