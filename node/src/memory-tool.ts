/**
 * A handler for Anthropic's memory tool (`memory_20250818`): its files are memories with a history, in a domain of
 * their own, and are found by `memory_recall`.
 */
import { createHash } from 'node:crypto';
import { requireKnown } from './library-error.ts';
import { echo } from './log.ts';
import type { MemoryToolCommand, MemoryToolHandlers, MemoryToolOptions } from './memory-tool-types.ts';
import { type Call, type OpenMemory, type Owner, ownerOf } from './open-memory.ts';

const ROOT = '/memories';
const MAX_LINES = 999_999;
/** Maximum length of a memory's path. */
const MAX_PATH_CHARS = 500;
/** Maximum size of a memory's metadata, as JSON. */
const MAX_FILE_BYTES = 102_400;
const NUMBER_WIDTH = String(MAX_LINES).length;
const PAGE = { limit: 1000, max_tokens: 1_000_000 };
/** Maintenance keeps pinned memories; without a tier, they would be always loaded. */
const KEPT = { pinned: true, tier: 'l4' };

/** The names of the options, of which the compiler checks that none is missing. */
const OPTIONS = Object.keys({ domain: true, userId: true } satisfies Record<keyof MemoryToolOptions, true>);

/**
 * The last command on each memory. Commands run one after the other, since each reads before it writes, whichever
 * handler they belong to: a program may create one for each request.
 */
const LAST = new WeakMap<object, Promise<unknown>>();

/** A file: the memory that holds it, and its text. */
interface File {
  readonly id: string;
  readonly path: string;
  readonly text: string;
}

interface Row {
  readonly id: string;
  readonly user_id?: string;
  readonly metadata?: { readonly path?: unknown; readonly text?: unknown };
}

/** The answer of a write. */
interface Written {
  readonly memory: { readonly path?: string };
  readonly merged_into?: string;
}

interface Page {
  readonly memories: readonly Row[];
  readonly next_cursor?: string;
}

/** Creates the handler of each command. Failures are thrown with the messages of Anthropic's reference handler. */
export function memoryTool(memory: OpenMemory, options: MemoryToolOptions = {}): MemoryToolHandlers {
  requireKnown('memoryTool', options, OPTIONS);
  // What is read is stored again, so that no character of it may be escaped.
  const call: Call = (tool, input) => memory.call(tool, input, { asStored: true });
  const owner = ownerOf(memory, options.userId);
  const files = new Files(call, options.domain ?? 'memory-tool', owner, memory.redact !== undefined);
  const inTurn = (work: () => Promise<string>): Promise<string> => {
    const last = LAST.get(memory) ?? Promise.resolve();
    const next = last.then(work, work);
    LAST.set(
      memory,
      next.catch(() => {}),
    );
    return next;
  };
  return {
    view: ({ path, view_range: range }) => inTurn(() => view(files, checked(path), path, checkedRange(range))),
    create: ({ path, file_text: text }) =>
      inTurn(() => create(files, checked(path), path, required('file_text', text))),
    str_replace: ({ path, old_str: old, new_str: put }) =>
      inTurn(() => replace(files, checked(path), path, required('old_str', old), required('new_str', put ?? ''))),
    insert: ({ path, insert_line: line, insert_text: put }) =>
      inTurn(() => insert(files, checked(path), path, checkedLine(line), required('insert_text', put))),
    delete: ({ path }) => inTurn(() => remove(files, checked(path), path)),
    rename: ({ old_path: from, new_path: to }) =>
      inTurn(() => rename(files, checked(from, 'old_path'), checked(to, 'new_path'), from, to)),
  };
}

/**
 * Creates one function for all commands, as the Vercel AI SDK calls it. A failure is an answer that begins with "Error:
 * ".
 */
export function memoryToolExecutor(
  memory: OpenMemory,
  options: MemoryToolOptions = {},
): (command: MemoryToolCommand) => Promise<string> {
  const handlers = memoryTool(memory, options);
  return async ({ command, ...input }) => {
    try {
      if (!Object.hasOwn(handlers, command)) throw new Error(`There is no command ${String(command)}`);
      const handler = handlers[command] as (input: unknown) => Promise<string>;
      return await handler(input);
    } catch (error) {
      return `Error: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
}

/** The files, as memories of the domain. */
class Files {
  readonly #call: Call;
  readonly #domain: string;
  readonly #owner: Owner;
  /** Whether personal data is removed, also from paths, by which the file would then not be found. */
  readonly #redacts: boolean;

  constructor(call: Call, domain: string, owner: Owner, redacts: boolean) {
    this.#call = call;
    this.#domain = domain;
    this.#owner = owner;
    this.#redacts = redacts;
  }

  /** All files, by path. */
  async all(): Promise<File[]> {
    const files: File[] = [];
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const page = await this.#page(cursor);
      if (page === undefined) return [];
      for (const { id, metadata } of page.memories.filter((row) => this.#owner.owns(row))) {
        if (typeof metadata?.path !== 'string' || typeof metadata.text !== 'string') continue;
        files.push({ id, path: metadata.path, text: metadata.text });
      }
      cursor = page.next_cursor;
    }
    return files.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async find(path: string): Promise<File | undefined> {
    return (await this.all()).find((file) => file.path === path);
  }

  /** A page of the domain's memories; `undefined` if the domain does not exist. */
  async #page(cursor: string | undefined): Promise<Page | undefined> {
    try {
      const asked = {
        ...PAGE,
        ...this.#owner.argument,
        domain: this.#domain,
        ...(cursor === undefined ? {} : { cursor }),
      };
      return (await this.#call('memory_list', asked)) as Page;
    } catch (error) {
      if (codeOf(error) === 'domain_not_found') return undefined;
      throw error;
    }
  }

  /**
   * Stores a new file. Its id follows from its path, so that of two processes that store it at the same time one fails.
   * A file that was renamed keeps the id of its former path, whose next file takes another.
   */
  async add(path: string, text: string, given: string): Promise<void> {
    for (let taken = 0; !(await this.#store(this.#idOf(path, taken), path, text, given)); taken += 1) {
      if ((await this.find(path)) !== undefined) throw exists(given);
    }
  }

  /** Returns whether no memory had this id. */
  async #store(id: string, path: string, text: string, given: string): Promise<boolean> {
    const file = {
      id,
      ...this.#owner.argument,
      ...KEPT,
      ...record(path, text),
      domain: this.#domain,
      source: 'memory tool',
    };
    try {
      const stored = (await this.#call('memory_store', file).catch(async (error: unknown) => {
        if (codeOf(error) !== 'domain_not_found') throw error;
        await this.#createDomain();
        return this.#call('memory_store', file);
      })) as Written;
      if (stored.merged_into === id) throw exists(given);
      // A memory without a path that has the same text has become the file.
      if (this.#hasPath(stored, path)) return true;
      await this.remove({ id });
      throw personal(given);
    } catch (error) {
      if (codeOf(error) === 'conflict') return false;
      throw error;
    }
  }

  async #createDomain(): Promise<void> {
    const domain = { id: this.#domain, description: "Files of Anthropic's memory tool" };
    try {
      await this.#call('create_domain', domain);
    } catch (error) {
      // Another process may have been faster.
      if (codeOf(error) !== 'conflict') throw error;
    }
  }

  #idOf(path: string, taken: number): string {
    const parts = [this.#domain, this.#owner.user ?? null, path, ...(taken === 0 ? [] : [taken])];
    return `memory-tool-${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`;
  }

  async change(file: File, path: string, text: string): Promise<void> {
    if (this.#hasPath(await this.#update(file, path, text), path)) return;
    await this.#update(file, file.path, file.text);
    throw personal(path);
  }

  async #update({ id }: File, path: string, text: string): Promise<Written> {
    const change = { ...this.#owner.argument, ...KEPT, id, ...record(path, text) };
    return (await this.#call('memory_update', change)) as Written;
  }

  #hasPath({ memory }: Written, path: string): boolean {
    return !this.#redacts || memory.path === path;
  }

  async remove({ id }: { readonly id: string }): Promise<void> {
    try {
      await this.#call('memory_forget', { ...this.#owner.argument, id });
    } catch (error) {
      // Another process may have deleted it.
      if (codeOf(error) !== 'memory_not_found') throw error;
    }
  }
}

/** The code of a tool's error. */
function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

function personal(given: string): Error {
  return new Error(`The path ${given} holds personal data, which this memory does not keep: give it another name`);
}

function exists(given: string): Error {
  return new Error(`File ${given} already exists`);
}

/**
 * The fields of a file's memory. The text is kept exactly in the metadata; the content is what searches find.
 *
 * @throws Error if the file is too large.
 */
function record(path: string, text: string): Record<string, unknown> {
  const metadata = { path, text };
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= MAX_FILE_BYTES) return { content: `${path}\n${text}`, path, metadata };
  throw new Error(
    `File ${path} is too large: it would have ${bytes} bytes as JSON, and ${MAX_FILE_BYTES} are allowed. Use several files`,
  );
}

/** A parameter that must be a text. Models omit some, whatever the types say. */
function required(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new Error(`Invalid \`${name}\` parameter: ${shown(value)}. It should be a text.`);
}

function checkedLine(line: unknown): number {
  if (Number.isInteger(line)) return line as number;
  throw new Error(`Invalid \`insert_line\` parameter: ${shown(line)}. It should be a line number, 0 for the start.`);
}

function checkedRange(range: unknown): readonly [number, number] | undefined {
  if (range === undefined || range === null) return undefined;
  if (Array.isArray(range) && range.length === 2 && range.every(Number.isInteger)) return range as [number, number];
  throw new Error(
    `Invalid \`view_range\` parameter: ${shown(range)}. It should be two line numbers: [first, last], last -1 for the end.`,
  );
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : echo(JSON.stringify(value) ?? String(value));
}

/** The normal form of a path below the root. */
function checked(given: unknown, name = 'path'): string {
  const path = required(name, given);
  if (path !== ROOT && !path.startsWith(`${ROOT}/`)) throw new Error(`Path must start with ${ROOT}, got: ${path}`);
  const parts: string[] = [];
  for (const part of path.slice(ROOT.length).split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) throw new Error(`Path ${path} would escape ${ROOT} directory`);
  }
  return [ROOT, ...parts].join('/');
}

async function view(
  files: Files,
  path: string,
  given: string,
  range: readonly [number, number] | undefined,
): Promise<string> {
  const all = await files.all();
  const file = all.find((other) => other.path === path);
  if (file !== undefined) return numbered(given, file.text, range);
  const below = all.filter((other) => other.path.startsWith(`${path}/`));
  if (below.length === 0 && path !== ROOT) throw missing(given);
  return listing(path, given, below);
}

function numbered(given: string, text: string, range: readonly [number, number] | undefined): string {
  const lines = text.split('\n');
  if (lines.length > MAX_LINES) {
    throw new Error(
      `File ${given} has too many lines (${lines.length}). Maximum is ${MAX_LINES.toLocaleString('en-US')} lines.`,
    );
  }
  const [from, to] = range ?? [1, -1];
  const start = Math.max(1, from) - 1;
  const shown = lines.slice(start, to === -1 ? lines.length : to);
  return `Here's the content of ${given} with line numbers:\n${withNumbers(shown, start + 1)}`;
}

function withNumbers(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(NUMBER_WIDTH, ' ')}\t${line}`).join('\n');
}

/** The listing of a folder, two levels deep. The size of a folder is the sum of its files. */
function listing(path: string, given: string, below: readonly File[]): string {
  const sizes = new Map<string, number>();
  for (const file of below) {
    const parts = file.path.slice(path.length + 1).split('/');
    if (parts.some((part) => part.startsWith('.') || part === 'node_modules')) continue;
    const size = Buffer.byteLength(file.text);
    for (const depth of [1, 2]) {
      if (parts.length < depth) break;
      const name = `${parts.slice(0, depth).join('/')}${parts.length > depth ? '/' : ''}`;
      sizes.set(name, (sizes.get(name) ?? 0) + size);
    }
  }
  const total = below.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const items = [...sizes].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    `Here're the files and directories up to 2 levels deep in ${given}, excluding hidden items and node_modules:`,
    `${amount(total)}\t${given}`,
    ...items.map(([name, size]) => `${amount(size)}\t${given}/${name}`),
  ].join('\n');
}

function amount(bytes: number): string {
  if (bytes === 0) return '0B';
  const power = Math.min(3, Math.floor(Math.log(bytes) / Math.log(1024)));
  const size = bytes / 1024 ** power;
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${'BKMG'[power]}`;
}

async function create(files: Files, path: string, given: string, text: string): Promise<string> {
  const all = await files.all();
  const isTaken = path === ROOT || all.some((file) => file.path === path || file.path.startsWith(`${path}/`));
  if (isTaken) throw exists(given);
  if (all.some((file) => path.startsWith(`${file.path}/`))) throw new Error(`A part of ${given} is a file`);
  checkLength(path);
  await files.add(path, text, given);
  return `File created successfully at: ${given}`;
}

async function replace(files: Files, path: string, given: string, old: string, put: string): Promise<string> {
  const file = await existing(files, path, given);
  const lines = file.text.split('\n');
  const matching = lines.flatMap((line, index) => (line.includes(old) ? [index + 1] : []));
  // A text that spans lines does not occur within any of them.
  const count = old === '' ? 0 : file.text.split(old).length - 1;
  if (count === 0) {
    throw new Error(`No replacement was performed, old_str \`${old}\` did not appear verbatim in ${given}.`);
  }
  const starts = matching.length > 0 ? matching : occurrences(file.text, old);
  if (count > 1) {
    throw new Error(
      `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${starts.join(', ')}. Please ensure it is unique`,
    );
  }
  const text = file.text.replace(old, () => put);
  await files.change(file, path, text);
  const changed = (starts[0] ?? 1) - 1;
  const start = Math.max(0, changed - 2);
  const shown = text.split('\n').slice(start, changed + 3);
  return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${withNumbers(shown, start + 1)}`;
}

/** The lines on which a text begins. */
function occurrences(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    found.push(text.slice(0, at).split('\n').length);
  }
  return found;
}

async function insert(files: Files, path: string, given: string, line: number, put: string): Promise<string> {
  const file = await existing(files, path, given);
  const lines = file.text.split('\n');
  if (line < 0 || line > lines.length) {
    throw new Error(
      `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    );
  }
  lines.splice(line, 0, put.replace(/\n$/, ''));
  await files.change(file, path, lines.join('\n'));
  return `The file ${given} has been edited.`;
}

async function remove(files: Files, path: string, given: string): Promise<string> {
  if (path === ROOT) throw new Error(`Cannot delete the ${ROOT} directory itself`);
  const found = (await files.all()).filter((file) => file.path === path || file.path.startsWith(`${path}/`));
  if (found.length === 0) throw new Error(`The path ${given} does not exist`);
  for (const file of found) await files.remove(file);
  return `Successfully deleted ${given}`;
}

async function rename(files: Files, from: string, to: string, givenFrom: string, givenTo: string): Promise<string> {
  if (from === ROOT) throw new Error(`Cannot rename the ${ROOT} directory itself`);
  const all = await files.all();
  const isIn = (folder: string) => (file: File) => file.path === folder || file.path.startsWith(`${folder}/`);
  if (to === ROOT || all.some(isIn(to))) throw new Error(`The destination ${givenTo} already exists`);
  const moved = all.filter(isIn(from));
  if (moved.length === 0) throw new Error(`The path ${givenFrom} does not exist`);
  if (to.startsWith(`${from}/`)) throw new Error(`The destination ${givenTo} is below ${givenFrom}`);
  if (all.some((file) => to.startsWith(`${file.path}/`))) throw new Error(`A part of ${givenTo} is a file`);
  const targets = moved.map((file) => to + file.path.slice(from.length));
  for (const path of targets) checkLength(path);
  await move(files, moved, targets);
  return `Successfully renamed ${givenFrom} to ${givenTo}`;
}

/** Gives files new paths. If one is refused, those before it are moved back; the error names those that are not. */
async function move(files: Files, moved: readonly File[], targets: readonly string[]): Promise<void> {
  for (const [index, file] of moved.entries()) {
    try {
      await files.change(file, targets[index] ?? file.path, file.text);
    } catch (error) {
      const left: string[] = [];
      for (const [place, former] of moved.slice(0, index).entries()) {
        await files.change(former, former.path, former.text).catch(() => left.push(targets[place] ?? former.path));
      }
      if (left.length === 0) throw error;
      const cause = error instanceof Error ? error.message : String(error);
      throw new Error(`${cause} (could not be moved back: ${left.join(', ')})`, { cause: error });
    }
  }
}

function checkLength(path: string): void {
  const length = [...path].length;
  if (length <= MAX_PATH_CHARS) return;
  throw new Error(`The path ${path.slice(0, 80)}… has ${length} characters, and ${MAX_PATH_CHARS} are allowed`);
}

async function existing(files: Files, path: string, given: string): Promise<File> {
  const all = await files.all();
  const file = all.find((other) => other.path === path);
  if (file !== undefined) return file;
  const isFolder = path === ROOT || all.some((other) => other.path.startsWith(`${path}/`));
  throw isFolder ? new Error(`The path ${given} is not a file.`) : missing(given);
}

function missing(given: string): Error {
  return new Error(`The path ${given} does not exist. Please provide a valid path.`);
}
