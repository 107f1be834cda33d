/** LangGraph's `BaseStore`: its items are memories in a domain of their own, which `memory_recall` finds as well. */
import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
  validateNamespace,
} from '@langchain/langgraph-checkpoint';
import { requireKnown } from './library-error.ts';
import { passes } from './langgraph-filter.ts';
import { itemId, itemOf, pathOf, recordOf, type Row, type StoredItem } from './langgraph-items.ts';
import type { LimbicStoreOptions } from './langgraph-types.ts';
import { type Call, type OpenMemory, type Owner, ownerOf } from './open-memory.ts';

/** The names of the options, of which the compiler checks that none is missing. */
const OPTIONS = Object.keys({ domain: true, userId: true } satisfies Record<keyof LimbicStoreOptions, true>);

const DOMAIN = 'langgraph';
const MAX_TOKENS = 1_000_000;
const PAGE = { limit: 1000, max_tokens: MAX_TOKENS };
/** Maximum of `memory_recall`. */
const MAX_RECALLED = 100;
const MAX_QUERY_CHARS = 2000;
/** Keys are part of the text that is searched. */
const MAX_KEY_CHARS = 1000;
const LIMIT_DEFAULT = 10;

interface Page {
  readonly memories: readonly (Row & { readonly score?: number })[];
  readonly next_cursor?: string;
}

/** The rank of a result, from 0, and its score, which a memory of one user does not show. */
interface Found {
  readonly rank: number;
  readonly score: number | undefined;
}

export class LimbicStore extends BaseStore {
  readonly #call: Call;
  readonly #domain: string;
  readonly #owner: Owner;
  /** Whether personal data is removed, also from namespaces and keys. */
  readonly #redacts: boolean;
  /** Batches run one after the other, because each write reads first. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(memory: OpenMemory, options: LimbicStoreOptions = {}) {
    super();
    requireKnown('LimbicStore', options, OPTIONS);
    const { domain = DOMAIN, userId } = options;
    this.#call = (tool, input) => memory.call(tool, input, { asStored: true });
    this.#domain = domain;
    this.#owner = ownerOf(memory, userId);
    this.#redacts = memory.redact !== undefined;
  }

  override batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const next = this.#last.then(() => this.#run(operations) as Promise<OperationResults<Op>>);
    this.#last = next.catch(() => {});
    return next;
  }

  /** Reads first. Of several writes of one item, the last one counts. */
  async #run(operations: readonly Operation[]): Promise<unknown[]> {
    for (const operation of operations) check(operation);
    const results: unknown[] = [];
    const puts = new Map<string, PutOperation>();
    for (const operation of operations) {
      if ('value' in operation) puts.set(this.#idsOf(operation)[0], operation);
      results.push('value' in operation ? undefined : await this.#read(operation));
    }
    for (const operation of puts.values()) await this.#put(operation);
    return results;
  }

  #read(operation: Exclude<Operation, PutOperation>): Promise<unknown> {
    if ('namespacePrefix' in operation) return this.#search(operation);
    return 'key' in operation ? this.#get(operation) : this.#listNamespaces(operation);
  }

  async #get(operation: GetOperation): Promise<Item | null> {
    const [found] = await this.#byIds(this.#idsOf(operation));
    return found?.item ?? null;
  }

  async #put(operation: PutOperation): Promise<void> {
    const { namespace, key, value, index } = operation;
    const ids = this.#idsOf(operation);
    const owner = this.#owner.argument;
    const [known] = await this.#byIds(ids);
    if (value === null) {
      if (known === undefined) return;
      await succeeds(this.#call('memory_forget', { ...owner, id: known.id }), 'memory_not_found');
      return;
    }
    const updatedAt = new Date();
    const record = recordOf({ namespace, key, value, createdAt: known?.item.createdAt ?? updatedAt, updatedAt }, index);
    const update = (id: string) => this.#call('memory_update', { ...owner, id, ...record });
    if (known !== undefined && (await succeeds(update(known.id), 'memory_not_found'))) return;
    try {
      await this.#store({ ...owner, id: ids[0], ...record });
      if (this.#redacts) await this.#requireName(ids[0], operation);
    } catch (error) {
      // Another process may have stored the item since it was read.
      const [stored] = codeOf(error) === 'conflict' ? await this.#byIds(ids) : [];
      if (stored === undefined) throw error;
      await update(stored.id);
    }
  }

  /** Stores a new item. Maintenance keeps pinned memories; without a tier, they would be always loaded. */
  async #store(item: Readonly<Record<string, unknown>>): Promise<void> {
    const memory = { ...item, domain: this.#domain, source: 'LangGraph', pinned: true, tier: 'l4' };
    const stored = (await this.#call('memory_store', memory).catch(async (error: unknown) => {
      if (codeOf(error) !== 'domain_not_found') throw error;
      const domain = { id: this.#domain, description: "Items of LangGraph's store" };
      await succeeds(this.#call('create_domain', domain), 'conflict');
      return this.#call('memory_store', memory);
    })) as { readonly merged_into?: string };
    // Another process may have stored the same item since it was read.
    if (stored.merged_into === undefined || stored.merged_into === item['id']) return;
    throw new Error(`The item is stored as the memory ${stored.merged_into}, which has the same text: use another key`);
  }

  /** Deletes a new item whose name was changed, since nobody would find it by what it is called. */
  async #requireName(id: string, { namespace, key }: PutOperation): Promise<void> {
    const [stored] = await this.#byIds([id]);
    if (stored?.item.key === key && stored.item.namespace.join('.') === namespace.join('.')) return;
    await this.#call('memory_forget', { ...this.#owner.argument, id });
    throw new Error(
      `The namespace ${namespace.join('.')} or the key ${key} holds personal data, which this memory does not keep: ` +
        'use others',
    );
  }

  /** With a query, its results, best first, then the other items; without one, the latest first. */
  async #search(operation: SearchOperation): Promise<SearchItem[]> {
    const { namespacePrefix, filter, limit = LIMIT_DEFAULT, offset = 0, query } = operation;
    const candidates = (await this.#all()).filter(
      ({ item }) => startsWith(item.namespace, namespacePrefix) && passes(item.value, filter),
    );
    const found = query === undefined ? new Map<string, Found>() : await this.#found(query, pathOf(namespacePrefix));
    const ranked = candidates
      .map(({ id, item, isIndexed }) => ({ item, found: isIndexed ? found.get(id) : undefined }))
      .sort((a, b) => (a.found?.rank ?? MAX_RECALLED) - (b.found?.rank ?? MAX_RECALLED) || newestFirst(a.item, b.item));
    return ranked
      .slice(offset, offset + limit)
      .map(({ item, found }) => (found?.score === undefined ? item : { ...item, score: found.score }));
  }

  async #listNamespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const { matchConditions = [], maxDepth, limit, offset = 0 } = operation;
    const matching = (await this.#all())
      .map(({ item }) => item.namespace)
      .filter((namespace) => matchConditions.every((condition) => matches(namespace, condition)))
      .map((namespace) => namespace.slice(0, maxDepth));
    const known = new Map(matching.map((namespace) => [namespace.join(':'), namespace]));
    const sorted = [...known].sort(([a], [b]) => a.localeCompare(b)).map(([, namespace]) => namespace);
    return sorted.slice(offset, limit === undefined ? undefined : offset + limit);
  }

  /** The memories that a query finds, by id. */
  async #found(query: string, path: string | undefined): Promise<Map<string, Found>> {
    const text = query.trim().slice(0, MAX_QUERY_CHARS);
    if (text === '') return new Map();
    const found = await this.#page('memory_recall', {
      query: text,
      ...(path === undefined ? {} : { path }),
      limit: MAX_RECALLED,
      max_tokens: MAX_TOKENS,
      detail: 'full',
      touch: false,
    });
    return new Map(found?.memories.map(({ id, score }, rank) => [id, { rank, score }]));
  }

  async #all(): Promise<StoredItem[]> {
    const items: StoredItem[] = [];
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const page = await this.#page('memory_list', { ...PAGE, ...(cursor === undefined ? {} : { cursor }) });
      if (page === undefined) return [];
      items.push(...this.#itemsOf(page));
      cursor = page.next_cursor;
    }
    return items;
  }

  async #byIds(ids: readonly string[]): Promise<StoredItem[]> {
    const asked = { ...this.#owner.argument, ids, max_tokens: MAX_TOKENS };
    return this.#itemsOf((await this.#call('memory_get', asked)) as Page);
  }

  /** The items of the owner among memories. */
  #itemsOf({ memories }: Page): StoredItem[] {
    return memories.filter((row) => this.#owner.owns(row)).flatMap((row) => itemOf(row) ?? []);
  }

  /** Memories of the domain; `undefined` if the domain does not exist. */
  async #page(tool: string, input: object): Promise<Page | undefined> {
    try {
      return (await this.#call(tool, { ...this.#owner.argument, ...input, domain: this.#domain })) as Page;
    } catch (error) {
      if (codeOf(error) === 'domain_not_found') return undefined;
      throw error;
    }
  }

  /** The id of an item, and the one that earlier versions gave it where the user is the memory's. */
  #idsOf({ namespace, key }: GetOperation | PutOperation): [string, ...string[]] {
    const { argument, user } = this.#owner;
    const id = itemId(this.#domain, user, namespace, key);
    return user === argument.user_id ? [id] : [id, itemId(this.#domain, undefined, namespace, key)];
  }
}

/** Refuses invalid namespaces and keys before anything is written. */
function check(operation: Operation): void {
  if ('namespace' in operation) {
    validateNamespace(operation.namespace, { allowReservedRoot: true });
    pathOf(operation.namespace);
  }
  if ('value' in operation && operation.key.length > MAX_KEY_CHARS) {
    const key = `${operation.key.slice(0, 80)}…`;
    throw new Error(`The key ${key} has ${operation.key.length} characters: use at most ${MAX_KEY_CHARS}`);
  }
  if ('namespacePrefix' in operation) {
    validateNamespace(operation.namespacePrefix, { allowEmpty: true, allowReservedRoot: true });
  }
}

/** Whether a call succeeds; `false` if it fails with the expected code, because another process was faster. */
async function succeeds(call: Promise<unknown>, expected: string): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (codeOf(error) !== expected) throw error;
    return false;
  }
}

/** The code of a tool's error. */
function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

function startsWith(namespace: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((label, index) => namespace[index] === label);
}

/** Whether a namespace has the prefix or suffix of the condition; `*` is any label. */
function matches(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  const start = matchType === 'prefix' ? 0 : namespace.length - path.length;
  if (start < 0 || path.length > namespace.length) return false;
  return path.every((label, index) => label === '*' || label === namespace[start + index]);
}

function newestFirst(a: Item, b: Item): number {
  return b.updatedAt.getTime() - a.updatedAt.getTime() || (a.key < b.key ? -1 : 1);
}
