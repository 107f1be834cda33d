import { type Core, tools } from 'limbic-pkg/core/limbic_core.js';
import type { EncoderLink } from 'limbic-shell/encoder-link.ts';
import { importFile } from './import-file.ts';
import type { Reply, Request } from './messages.ts';
import { failedBy, taken } from 'limbic-shell/answer.ts';

interface Context {
  readonly link: EncoderLink;
  readonly toolsets: readonly string[];
  readonly progress: (done: number, total: number) => void;
  /** The session of the page, with its own domain and plans. */
  readonly session: string;
}

/** Runs a request of a page. Throws only if the module trapped. */
export async function runRequest(core: Core, request: Request, context: Context): Promise<Reply> {
  try {
    switch (request.what) {
      case 'call': {
        const { tool, args } = request;
        const encodings = await context.link.encodingsFor(core, tool, args);
        return taken(core.call(tool, args, encodings, context.session));
      }
      case 'tools':
        return { isError: false, text: tools(JSON.stringify({ toolsets: context.toolsets })) };
      case 'export': {
        const bytes = new Uint8Array(core.export_database());
        return { isError: false, text: JSON.stringify({ bytes: bytes.length }), bytes };
      }
      case 'import':
        return importFile(core, request, context.progress, context.session);
      case 'trap':
        core.trap();
        throw new Error('the module did not trap');
    }
  } catch (error) {
    return failedBy(error);
  }
}
