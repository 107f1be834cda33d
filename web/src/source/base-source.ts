import { failedBy, failedWith } from 'limbic-shell/answer.ts';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { CallLog } from './call-log.ts';
import type { SourceStatus } from './source.ts';
import { createStore } from './store.ts';
import type { Answer, Input, Output, Tool, ToolError, ToolName } from './tools.ts';

/** The result of a call before its text is parsed. */
export interface RawAnswer {
  readonly isError: boolean;
  readonly text: string;
}

/** The common parts of both sources: the log, the count of changes, parsing of answers. */
export abstract class BaseSource {
  readonly log = new CallLog();
  readonly revision = createStore(0);
  readonly status = createStore<SourceStatus>({ connection: 'starting', storage: 'unknown', pendingEmbeddings: 0 });
  #tools: Promise<readonly Tool[]> | undefined;
  #readers: ReadonlySet<string> | undefined;

  /** Runs a tool with unchecked arguments. */
  protected abstract run(tool: string, args: string): Promise<RawAnswer>;
  protected abstract listTools(): Promise<readonly Tool[]>;

  tools(): Promise<readonly Tool[]> {
    this.#tools ??= this.listTools().then(
      (tools) => {
        this.#readers = new Set(
          tools.filter((tool) => tool.annotations?.readOnlyHint === true).map(({ name }) => name),
        );
        return tools;
      },
      (error: unknown) => {
        this.#tools = undefined;
        throw error;
      },
    );
    return this.#tools;
  }

  call<T extends ToolName>(tool: T, args: Input<T>): Promise<Answer<Output<T>>> {
    return this.callByName(tool, args) as Promise<Answer<Output<T>>>;
  }

  async callByName(tool: string, args: unknown): Promise<Answer<unknown>> {
    const text = JSON.stringify(args);
    const end = this.log.begin(tool, text);
    const raw = await this.run(tool, text).catch((error: unknown) => failed(error));
    end(raw.text, raw.isError);
    return readAnswer(raw);
  }

  /** Clears the list of tools: another server or build may offer others. */
  protected forgetTools(): void {
    this.#tools = undefined;
  }

  /** Whether a tool may have changed the memory; true for any tool until the list of tools is loaded. */
  protected changes(tool: string): boolean {
    return this.#readers === undefined || !this.#readers.has(tool);
  }

  protected noteChange(): void {
    this.revision.update((count) => count + 1);
  }

  protected setStatus(part: Partial<SourceStatus>): void {
    this.status.update((status) => ({ ...status, ...part }));
  }
}

/** Parses the text of an answer. */
export function readAnswer<T>({ isError, text }: RawAnswer): Answer<T> {
  try {
    const value: unknown = JSON.parse(text);
    if (!isError) return { ok: true, value: value as T, text };
    return { ok: false, error: toolError(value, text), text };
  } catch {
    return { ok: false, error: { error: text, code: 'internal' }, text };
  }
}

/** An exception as an error answer. */
export function failed(error: unknown): RawAnswer {
  return knownFailure(error) === undefined ? failedWith('internal', textOf(error)) : failedBy(error);
}

function toolError(value: unknown, text: string): ToolError {
  if (typeof value === 'object' && value !== null && 'error' in value && typeof value.error === 'string') {
    return value as ToolError;
  }
  return { error: text, code: 'internal' };
}
