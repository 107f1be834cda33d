import type { Answer, Core } from 'limbic-pkg/core/limbic_core.js';
import { knownFailure } from '../failure.ts';
import type { CoreSettings } from '../messages.ts';
import type { Database } from './database.ts';
import type { EncoderLink } from './encoder-link.ts';
import { withSource } from './source.ts';

/** What came of a call, as JSON text. */
export interface CallAnswer {
  readonly isError: boolean;
  readonly text: string;
}

/** What is being written, and as a JSON object what is written already. */
export interface Completion {
  readonly template: string;
  readonly part: string;
  readonly begun: string;
  readonly known: string;
}

interface Context {
  readonly database: Database;
  readonly link: EncoderLink;
  readonly settings: CoreSettings;
  readonly progress: (done: number, total: number) => void;
  /** The client that the call belongs to. */
  readonly session: string | undefined;
}

/** A prompt that a client asks for; `args` is JSON text. */
export interface PromptCall {
  readonly name: string;
  readonly args: string;
  readonly session: string;
}

const NO_ENCODINGS = new Uint8Array(0);
const PROGRESS_MILLIS = 100;

/** Runs a tool: what must be encoded first, its file if it names one, then the call itself. Throws only when the module broke. */
export async function runCall(context: Context, tool: string, args: string): Promise<CallAnswer> {
  try {
    const core = context.database.open();
    if (context.settings.testTrap === tool) core.trap();
    const encodings = await encodingsFor(core, context.link, tool, args);
    const path = core.file_argument(tool, args);
    if (path === undefined) return read(core.call(tool, args, encodings, context.session));
    return withSource(path, (source) =>
      typeof source === 'string'
        ? read(core.file_error(path, source))
        : read(core.call_with_file(tool, args, encodings, source, seldom(context.progress), context.session)),
    );
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): CallAnswer {
  const failure = knownFailure(error);
  if (failure === undefined) throw error;
  return { isError: true, text: JSON.stringify(failure) };
}

/** What a resource holds now. Throws only when the module broke. */
export function readResource(database: Database, uri: string): CallAnswer {
  try {
    return read(database.open().read_resource(uri));
  } catch (error) {
    return failed(error);
  }
}

/** A prompt with what is remembered. Throws only when the module broke. */
export function getPrompt(database: Database, { name, args, session }: PromptCall): CallAnswer {
  try {
    return read(database.open().prompt(name, args, session));
  } catch (error) {
    return failed(error);
  }
}

/** What completes the part of a resource template or a prompt that somebody has begun to write. Throws only when the module broke. */
export function complete(database: Database, { template, part, begun, known }: Completion): CallAnswer {
  try {
    return read(database.open().complete(template, part, begun, known));
  } catch (error) {
    return failed(error);
  }
}

/** A search does not wait for an encoder that is still loading: it is answered by words. */
async function encodingsFor(core: Core, link: EncoderLink, tool: string, args: string): Promise<Uint8Array> {
  if (!link.isReady) return NO_ENCODINGS;
  const tasks = core.texts(tool, args);
  if (tasks.length === 0) return NO_ENCODINGS;
  return (await link.encode(tasks))?.encodings ?? NO_ENCODINGS;
}

/** Takes an answer out of the module's memory, where it would lie until somebody cleans up. */
export function read(answer: Answer): CallAnswer {
  try {
    return { isError: answer.isError, text: answer.text };
  } finally {
    answer.free();
  }
}

/** Passes on the end and otherwise no more than a few reports a second. */
function seldom(progress: Context['progress']): Context['progress'] {
  let lastMillis = -PROGRESS_MILLIS;
  return (done, total) => {
    const millis = performance.now();
    if (done < total && millis - lastMillis < PROGRESS_MILLIS) return;
    lastMillis = millis;
    progress(done, total);
  };
}
