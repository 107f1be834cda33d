/** The items of LangGraph's store as memories: their ids, paths and texts. */
import { createHash } from 'node:crypto';
import type { Item } from '@langchain/langgraph-checkpoint';
import { partsAt } from './langgraph-paths.ts';

/** Maximum length of a memory's path. */
const MAX_PATH_CHARS = 500;
/** The part of a value that searches index: within the maximum size of a memory's text, in any script. */
const MAX_TEXT_CHARS = 25_000;
/** Printable ASCII without capitals: names of these characters that differ are different statements. */
const IS_PLAIN = /^[!-@[-~]*$/;
/** Number of digits of the hash that distinguishes other names. */
const MARK_DIGITS = 8;

/** The metadata of an item's memory. */
interface Stored {
  readonly namespace: string[];
  readonly key: string;
  readonly value: Record<string, unknown>;
  readonly created: string;
  readonly updated: string;
  /** `false` for an item that no query finds. */
  readonly index?: boolean;
}

/** A memory, as tools return it. */
export interface Row {
  readonly id: string;
  readonly user_id?: string;
  readonly metadata?: unknown;
}

/** An item, and whether queries find it. */
export interface StoredItem {
  readonly id: string;
  readonly item: Item;
  readonly isIndexed: boolean;
}

/** The id of an item's memory: the same in every process. */
export function itemId(domain: string, user: string | undefined, namespace: readonly string[], key: string): string {
  return `langgraph-${hashOf([domain, user ?? null, namespace, key])}`;
}

/**
 * The path of a namespace, whose parts are its labels. An empty namespace has none.
 *
 * @throws Error if the namespace is too long.
 */
export function pathOf(namespace: readonly string[]): string | undefined {
  if (namespace.length === 0) return undefined;
  const path = `/${namespace.map(encodeURIComponent).join('/')}`;
  if (path.length <= MAX_PATH_CHARS) return path;
  throw new Error(
    `The namespace ${namespace.join('.').slice(0, 80)}… is too long: as a path it has ${path.length} characters, and ` +
      `${MAX_PATH_CHARS} are allowed. Give it fewer or shorter labels`,
  );
}

/** The fields of an item's memory. The metadata keeps the value exactly; the content is what searches find. */
export function recordOf(
  { namespace, key, value, createdAt, updatedAt }: Item,
  index: false | readonly string[] | undefined,
): Record<string, unknown> {
  const title = [...namespace, key].map((label) => label.replace(/[%/]/g, encodeURIComponent)).join('/');
  // Texts that differ only in spacing, or in the case of their first letter, are stored as one statement.
  const mark = IS_PLAIN.test(title) ? '' : ` #${hashOf([namespace, key]).slice(0, MARK_DIGITS)}`;
  const paths = index === false ? [] : (index ?? ['$']);
  const texts = paths.flatMap((path) => partsAt(value, path)).flatMap((part) => leavesOf(part));
  const stored: Stored = {
    namespace: [...namespace],
    key,
    value,
    created: createdAt.toISOString(),
    updated: updatedAt.toISOString(),
    ...(index === false ? { index } : {}),
  };
  return {
    content: [`${title}${mark}`, ...texts].join('\n').slice(0, MAX_TEXT_CHARS),
    path: pathOf(namespace),
    metadata: stored,
  };
}

/** The item of a memory; `undefined` for a memory that another program stored. */
export function itemOf({ id, metadata }: Row): StoredItem | undefined {
  const { namespace, key, value, created, updated, index } = (metadata ?? {}) as Partial<Stored>;
  if (!Array.isArray(namespace) || key === undefined || value === undefined) return undefined;
  if (created === undefined || updated === undefined) return undefined;
  const item = { namespace, key, value, createdAt: new Date(created), updatedAt: new Date(updated) };
  return { id, item, isIndexed: index !== false };
}

/** The texts, numbers and truth values of a value, each with the name of its field. */
export function leavesOf(value: unknown, name = ''): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((part) => leavesOf(part, name));
  if (typeof value === 'object') return Object.entries(value).flatMap(([key, part]) => leavesOf(part, key));
  return [name === '' ? String(value) : `${name}: ${String(value)}`];
}

function hashOf(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
