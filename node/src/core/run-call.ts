import { type CallAnswer, failedBy, taken } from 'limbic-shell/answer.ts';
import type { EncoderLink } from 'limbic-shell/encoder-link.ts';
import type { CoreSettings } from '../messages.ts';
import type { Database } from './database.ts';
import type { FileCallOrder, FileCalls } from './file-calls.ts';
import { openSource } from './source.ts';

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
  readonly fileCalls: FileCalls;
  readonly progress: (done: number, total: number) => void;
}

/** A prompt that a client asks for; `args` is JSON text. */
export interface PromptCall {
  readonly name: string;
  readonly args: string;
  readonly session: string;
}

/**
 * Runs a tool: what must be encoded first, then the call itself. One that reads a file is added to the file calls, and
 * nothing is answered yet. Throws only when the module broke.
 */
export async function runCall(context: Context, call: FileCallOrder): Promise<CallAnswer | undefined> {
  const { tool, args, session } = call;
  try {
    const core = context.database.open();
    if (context.settings.testTrap === tool) core.trap();
    const encodings = await context.link.encodingsFor(core, tool, args);
    const path = core.file_argument(tool, args);
    if (path === undefined) return taken(core.call(tool, args, encodings, session));
    const source = openSource(path);
    if (typeof source === 'string') return taken(core.file_error(path, source));
    context.fileCalls.add(call, source, context.progress);
    return undefined;
  } catch (error) {
    return failedBy(error);
  }
}

/** What a resource holds now. Throws only when the module broke. */
export function readResource(database: Database, uri: string): CallAnswer {
  try {
    return taken(database.open().read_resource(uri));
  } catch (error) {
    return failedBy(error);
  }
}

/** A prompt with what is remembered. Throws only when the module broke. */
export function getPrompt(database: Database, { name, args, session }: PromptCall): CallAnswer {
  try {
    return taken(database.open().prompt(name, args, session));
  } catch (error) {
    return failedBy(error);
  }
}

/** What completes the part of a resource template or a prompt that somebody has begun to write. Throws only when the module broke. */
export function complete(database: Database, { template, part, begun, known }: Completion): CallAnswer {
  try {
    return taken(database.open().complete(template, part, begun, known));
  } catch (error) {
    return failedBy(error);
  }
}
