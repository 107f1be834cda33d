import { BaseSource, type RawAnswer } from '../source/base-source.ts';
import type { Source } from '../source/source.ts';
import type { Answer, Tool } from '../source/tools.ts';
import type { Host, OfferedTool } from './host.ts';

/** The source of an MCP App: the server, through the host. */
export class HostSource extends BaseSource implements Source {
  readonly kind = 'host';
  readonly #host: Pick<Host, 'run'>;
  readonly #offered: readonly OfferedTool[];

  /** @param offered the tools that the page may call. */
  constructor(host: Pick<Host, 'run'>, offered: readonly OfferedTool[]) {
    super();
    this.#host = host;
    this.#offered = offered;
    const isReadOnly = !offered.some(({ readOnly }) => !readOnly);
    this.setStatus({ connection: 'ready', storage: 'server', isReadOnly });
  }

  /** Whether the page may call a tool. */
  offers(tool: string): boolean {
    return this.#offered.some(({ name }) => name === tool);
  }

  async exportDatabase(): Promise<Answer<Blob>> {
    const error = { error: 'This page cannot export the memory: use limbic-memory export', code: 'not_available' };
    return { ok: false, error, text: JSON.stringify(error) };
  }

  close(): void {}

  protected async listTools(): Promise<readonly Tool[]> {
    return this.#offered.map(({ name, readOnly }) => ({
      name,
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: readOnly },
    }));
  }

  protected async run(tool: string, args: string): Promise<RawAnswer> {
    await this.tools();
    const answer = await this.#host.run(tool, args);
    if (!answer.isError && this.changes(tool)) this.noteChange();
    return answer;
  }
}
