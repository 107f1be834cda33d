import { type Core, tools } from 'limbic-pkg/core/limbic_core.js';
import type { EncoderLink } from './encoder-link.ts';
import { knownFailure } from './failure.ts';
import { importFile } from './import-file.ts';
import type { Reply, Request } from './messages.ts';
import { readReply } from './read-reply.ts';

interface Context {
  readonly link: EncoderLink;
  readonly toolsets: readonly string[];
  readonly progress: (done: number, total: number) => void;
  /** The page that asks: its domain and its plans are its own. */
  readonly session: string;
}

const NO_ENCODINGS = new Uint8Array(0);

/** Runs what a page asks for. Throws only when the module broke. */
export async function runRequest(core: Core, request: Request, context: Context): Promise<Reply> {
  try {
    switch (request.what) {
      case 'call':
        return await runTool(core, request.tool, request.args, context);
      case 'tools':
        return { isError: false, text: tools(JSON.stringify({ toolsets: context.toolsets })) };
      case 'export': {
        const bytes = new Uint8Array(core.export_database());
        return { isError: false, text: JSON.stringify({ bytes: bytes.length }), bytes };
      }
      case 'import':
        return importFile(core, request, context.progress);
      case 'trap':
        core.trap();
        throw new Error('the module did not break');
    }
  } catch (error) {
    const failure = knownFailure(error);
    if (failure === undefined) throw error;
    return { isError: true, text: JSON.stringify(failure) };
  }
}

/** A search does not wait for an encoder that is still loading: it is answered by words. */
async function runTool(core: Core, tool: string, args: string, { link, session }: Context): Promise<Reply> {
  const tasks = link.name === undefined ? NO_ENCODINGS : core.texts(tool, args);
  const encoded = tasks.length === 0 ? undefined : await link.encode(tasks);
  return readReply(core.call(tool, args, encoded?.encodings ?? NO_ENCODINGS, session));
}
