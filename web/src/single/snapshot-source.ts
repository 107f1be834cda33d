import { BaseSource, type RawAnswer } from '../source/base-source.ts';
import type { Answer, Source } from '../source/source.ts';
import type { Input, Tool } from '../source/tools.ts';
import { entity } from './entity.ts';
import { graph } from './graph.ts';
import type { Memory } from './memory.ts';
import { memoryDetails } from './memory-details.ts';
import { MemorySearch } from './memory-search.ts';
import { records } from './records.ts';
import { refusal } from './refusal.ts';
import { stats } from './stats.ts';
import { WordSearch } from './word-search.ts';

const READ_ONLY = 'This page shows a copy of a memory: nothing can be changed here.';

/** Answers from the memory that is written into the page. Nothing can be changed. */
export class SnapshotSource extends BaseSource implements Source {
  readonly kind = 'file';
  readonly #memory: Memory;
  #search: WordSearch | undefined;
  #memorySearch: MemorySearch | undefined;

  constructor(memory: Memory) {
    super();
    this.#memory = memory;
    this.setStatus({ connection: 'ready', storage: 'file' });
  }

  exportDatabase(): Promise<Answer<Blob>> {
    return Promise.resolve({ ok: false, error: { error: READ_ONLY, code: 'read_only' }, text: '' });
  }

  close(): void {}

  protected listTools(): Promise<readonly Tool[]> {
    return Promise.resolve([]);
  }

  protected async run(tool: string, args: string): Promise<RawAnswer> {
    return { isError: false, text: JSON.stringify(this.#answer(tool, JSON.parse(args))) };
  }

  #answer(tool: string, args: unknown): unknown {
    switch (tool) {
      case 'explore_graph':
        return graph(this.#memory, args as Input<'explore_graph'>);
      case 'explore_records':
        return records(this.#memory, args as Input<'explore_records'>);
      case 'explore_entity':
        return entity(this.#memory, (args as Input<'explore_entity'>).name);
      case 'explore_stats':
        return stats(this.#memory);
      case 'explore_memory':
        return memoryDetails(this.#memory, (args as Input<'explore_memory'>).id, Date.now());
      case 'list_domains':
        return this.#memory.memories.domains;
      case 'memory_recall':
        this.#memorySearch ??= new MemorySearch(this.#memory);
        return this.#memorySearch.ask(args as Input<'memory_recall'>);
      case 'search_semantic':
        this.#search ??= new WordSearch(this.#memory);
        return this.#search.ask(args as Input<'search_semantic'>);
      default:
        throw refusal('read_only', READ_ONLY);
    }
  }
}
