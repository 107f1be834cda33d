import { type CallAnswer, failedBy, taken } from 'limbic-shell/answer.ts';
import type { EncoderLink } from 'limbic-shell/encoder-link.ts';
import type { CoreSettings } from '../messages.ts';
import type { Database } from './database.ts';
import type { FileCallOrder, FileCalls } from './file-calls.ts';
import { openSource } from './source.ts';

/** The argument to complete, and a JSON object of the other arguments. */
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

/** A request for a prompt; `args` is JSON text. */
export interface PromptCall {
  readonly name: string;
  readonly args: string;
  readonly session: string;
}

/**
 * Runs a tool: encodes its texts, then makes the call. A call that reads a file is added to `fileCalls` and has no answer
 * yet. Throws only if the module trapped.
 */
export async function runCall(context: Context, call: FileCallOrder): Promise<CallAnswer | undefined> {
  const { tool, args, session } = call;
  try {
    const core = context.database.open();
    if (context.settings.testTrap === tool) core.trap();
    while (context.settings.testHang === tool) core.data_version();
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

/** Reads a resource. Throws only if the module trapped. */
export function readResource(database: Database, uri: string): CallAnswer {
  try {
    return taken(database.open().read_resource(uri));
  } catch (error) {
    return failedBy(error);
  }
}

/** Renders a prompt. Throws only if the module trapped. */
export function getPrompt(database: Database, { name, args, session }: PromptCall): CallAnswer {
  try {
    return taken(database.open().prompt(name, args, session));
  } catch (error) {
    return failedBy(error);
  }
}

/** Completes an argument of a resource template or a prompt. Throws only if the module trapped. */
export function complete(database: Database, { template, part, begun, known }: Completion): CallAnswer {
  try {
    return taken(database.open().complete(template, part, begun, known));
  } catch (error) {
    return failedBy(error);
  }
}
