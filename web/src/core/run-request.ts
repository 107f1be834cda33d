import { type Core, recovery_phrase, tools } from 'limbic-pkg/core/limbic_core.js';
import type { EncoderLink } from 'limbic-shell/encoder-link.ts';
import { importFile } from './import-file.ts';
import type { EncryptionOrder, Reply, Request } from './messages.ts';
import { failedBy, taken } from 'limbic-shell/answer.ts';

/** The length of a key. */
const KEY_BYTES = 32;

interface Context {
  readonly link: EncoderLink;
  readonly progress: (done: number, total: number) => void;
  /** The session of the page, with its own domain and plans. */
  readonly session: string;
}

/** A request that needs no database. */
export type StaticRequest = Extract<Request, { readonly what: 'tools' | 'new-phrase' }>;

/** Answers a request that needs no database. */
export function answerStatic(request: StaticRequest, toolsets: readonly string[]): Reply {
  if (request.what === 'tools') return { isError: false, text: tools(JSON.stringify({ toolsets })) };
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const hex = Array.from(key, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { isError: false, text: JSON.stringify(recovery_phrase(hex)) };
}

/** Runs a request of a page on the database. Throws only if the module trapped. */
export async function runRequest(
  core: Core,
  request: Exclude<Request, StaticRequest | EncryptionOrder>,
  context: Context,
): Promise<Reply> {
  try {
    switch (request.what) {
      case 'call': {
        const { tool, args } = request;
        const encodings = await context.link.encodingsFor(core, tool, args);
        return taken(core.call(tool, args, encodings, context.session));
      }
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
