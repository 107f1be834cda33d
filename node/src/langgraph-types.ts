/** The types of `limbic-memory/langgraph`. */
import type { BaseStore, Operation, OperationResults } from '@langchain/langgraph-checkpoint';

/** An open memory. An object that passes calls on should have its `user` and `redact`, too. */
export interface OpenMemory {
  call(tool: string, input?: unknown, options?: { asStored?: boolean }): Promise<unknown>;
  readonly user?: string | undefined;
  readonly redact?: 'pii' | undefined;
}

export interface LimbicStoreOptions {
  /** The domain that holds the items; default `langgraph`. */
  readonly domain?: string;
  /** The owner of the items; default the memory's `user`, else none: items that have an owner are left out. */
  readonly userId?: string;
}

/**
 * LangGraph's long-term memory on an open memory: each item is a memory, found by its texts with `query`. The reads of
 * a batch see the state before its writes. Items are pinned and do not expire: they stay until they are deleted.
 */
export declare class LimbicStore extends BaseStore {
  constructor(memory: OpenMemory, options?: LimbicStoreOptions);
  /**
   * Runs operations. Errors: an invalid namespace, a namespace or key that is too long, a value above 100 kB, and those
   * of the memory, such as a value with a credential. Writes before the failed one stay.
   */
  batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>>;
}
