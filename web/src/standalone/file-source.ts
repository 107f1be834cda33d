import startCore, { Core, tools } from 'limbic-pkg/core/limbic_core.js';
import { NO_ENCODINGS } from 'limbic-shell/encoder-link.ts';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { MemoryFiles } from '../core/memory-files.ts';
import { taken } from 'limbic-shell/answer.ts';
import { decompressed } from '../components/unpack.ts';
import { BaseSource, type RawAnswer } from '../source/base-source.ts';
import type { Source } from '../source/source.ts';
import type { Answer, Tool } from '../source/tools.ts';

const DATABASE = 'memory.db';
const OPTIONS = { readOnly: true, toolsets: ['graph', 'memory', 'domain', 'explorer'], shell: 'page' };

/** The source of the standalone page: the embedded core on the embedded database, read-only. */
export class FileSource extends BaseSource implements Source {
  readonly kind = 'file';
  readonly #core = openCore();

  constructor() {
    super();
    this.#core.then(
      () => this.setStatus({ connection: 'ready', storage: 'file' }),
      (error: unknown) => this.#setLost(error),
    );
  }

  async exportDatabase(): Promise<Answer<Blob>> {
    const bytes = new Uint8Array((await this.#core).export_database());
    return { ok: true, value: new Blob([bytes], { type: 'application/vnd.sqlite3' }), text: '' };
  }

  close(): void {}

  protected async listTools(): Promise<readonly Tool[]> {
    await this.#core;
    return JSON.parse(tools(JSON.stringify(OPTIONS))) as readonly Tool[];
  }

  protected async run(tool: string, args: string): Promise<RawAnswer> {
    const core = await this.#core;
    try {
      return taken(core.call(tool, args, NO_ENCODINGS));
    } catch (error) {
      if (knownFailure(error) === undefined) this.#setLost(error);
      throw error;
    }
  }

  #setLost(error: unknown): void {
    const reason = knownFailure(error)?.error ?? textOf(error);
    this.setStatus({
      connection: 'lost',
      storage: 'file',
      problem: `The memory in this page cannot be read: ${reason}`,
    });
  }
}

/** Opens the embedded core and database; a page opened from disk cannot load files. */
async function openCore(): Promise<Core> {
  const [wasm, database] = await Promise.all([contentOf('core'), contentOf('memory')]);
  await startCore({ module_or_path: wasm });
  const path = MemoryFiles.path(DATABASE);
  return Core.open(new MemoryFiles(new Map([[path, database]])), JSON.stringify({ path, ...OPTIONS }));
}

/** Decodes an element's content (base64, gzip) and removes the element. */
async function contentOf(id: string): Promise<Uint8Array<ArrayBuffer>> {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the element ${id} is missing from the file`);
  const packed = Uint8Array.from(atob(element.textContent), (byte) => byte.charCodeAt(0));
  element.remove();
  return new Uint8Array(await decompressed(new Response(packed), 'application/octet-stream').arrayBuffer());
}
