/** A memory as a page: lines of an export, put into the page that shows them. */
import { existsSync, readFileSync } from 'node:fs';
import { namesIn } from '../../web/src/single/names-in-text.ts';
import { packaged } from './paths.ts';
import { TargetError } from './target.ts';

/** Where the memory goes in the page. */
const PLACE = '@memory@';
const NEWLINE = 10;
const LESS_THAN = 60;
const ESCAPED = Buffer.from('\\u003c');

/** Lines that the page shows. The others are for programs. */
const SHOWN: readonly string[] = [
  'entity', 'observation', 'relation', 'reflection', 'access', 'access_day', 'co_occurrence',
  'domain', 'memory', 'memory_edge', 'memory_reference', 'memory_mention', 'memory_history', 'memory_session', 'current_domain',
];
/** Lines about memories wait for those that tell what each memory mentions, where only some are chosen. */
const OF_MEMORIES: ReadonlySet<string> = new Set(SHOWN.slice(SHOWN.indexOf('domain')));

type Line = Readonly<Record<string, unknown>>;

/** The page before and after the memory. */
export interface Page {
  readonly before: string;
  readonly after: string;
}

/**
 * The page without a memory in it.
 *
 * @throws TargetError
 */
export function readPage(path = packaged('single.html')): Page {
  if (!existsSync(path)) throw new TargetError('the page is not part of this build: run `cargo xtask build`');
  const [before, after, ...more] = readFileSync(path, 'utf8').split(PLACE);
  if (before === undefined || after === undefined || more.length > 0) throw new TargetError(`it is no page for a memory: ${path}`);
  return { before, after };
}

/** Takes an export in pieces and writes of each line what the page may hold, if it is chosen. */
export class PageLines {
  readonly #sink: (piece: Uint8Array) => void;
  readonly #types: ReadonlySet<string> | undefined;
  readonly #chosen = new Set<string>();
  readonly #known = new Set<string>();
  readonly #waiting: { readonly line: Line; readonly bytes: Uint8Array }[] = [];
  #rest: Buffer = Buffer.alloc(0);
  records = 0;
  bytes = 0;

  /** Only entities of some types, if any are named, and what is said of these alone. */
  constructor(types: readonly string[] | undefined, sink: (piece: Uint8Array) => void) {
    this.#types = types === undefined ? undefined : new Set(types);
    this.#sink = sink;
  }

  /** The types of all entities that came. */
  get known(): readonly string[] {
    return [...this.#known].sort();
  }

  take(piece: Uint8Array): void {
    const text = this.#rest.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#rest, piece]);
    let start = 0;
    for (let end = text.indexOf(NEWLINE); end >= 0; end = text.indexOf(NEWLINE, start)) {
      this.#line(text.subarray(start, end + 1));
      start = end + 1;
    }
    // The piece may lie in memory that its owner uses again.
    this.#rest = Buffer.from(text.subarray(start));
  }

  #line(bytes: Buffer): void {
    const line = JSON.parse(bytes.toString('utf8')) as Line;
    const record = String(line['record']);
    if (!SHOWN.includes(record)) return;
    if (this.#types !== undefined && OF_MEMORIES.has(record)) this.#waiting.push({ line, bytes: escaped(Buffer.from(bytes)) });
    else if (this.#isChosen(line)) this.#write(escaped(bytes));
  }

  /** Writes what waited, after the last piece: memories that mention a chosen entity, and what is said of these alone. */
  end(): void {
    const isChosen = (name: string): boolean => this.#chosen.has(name);
    const memories = new Set<string>();
    for (const { line } of this.#waiting) {
      if (line['record'] === 'memory' && namesIn(String(line['content']), isChosen).size > 0) memories.add(String(line['id']));
      if (line['record'] === 'memory_mention' && isChosen(String(line['entity']))) memories.add(String(line['memory']));
    }
    const chosen = this.#waiting.filter(({ line }) => isOf(line, memories) && (line['record'] !== 'memory_mention' || isChosen(String(line['entity']))));
    const domains = new Set(chosen.map(({ line }) => line['domain']));
    for (const { line, bytes } of this.#waiting) {
      if (line['record'] === 'domain' && domains.has(line['id'])) this.#write(bytes);
    }
    for (const { bytes } of chosen) this.#write(bytes);
    this.#waiting.length = 0;
  }

  #write(bytes: Uint8Array): void {
    this.records += 1;
    this.put(bytes);
  }

  /** Writes as it is. */
  put(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    this.#sink(bytes);
  }

  /** Entities come before what names them. */
  #isChosen(line: Line): boolean {
    const { record, name, entity_type: type } = line;
    if (record === 'entity') this.#known.add(String(type));
    if (this.#types === undefined) return true;
    if (record === 'entity') {
      if (!this.#types.has(String(type))) return false;
      this.#chosen.add(String(name));
      return true;
    }
    const ends = ['entity', 'from', 'to', 'a', 'b'].flatMap((field) => (line[field] === undefined ? [] : [String(line[field])]));
    // What is said of nothing in particular may be about what was left out.
    return ends.length > 0 && ends.every((end) => this.#chosen.has(end));
  }
}

/** Whether a line is about memories that are chosen; of domains, memories decide.  */
function isOf(line: Line, memories: ReadonlySet<string>): boolean {
  const ends = ['memory', 'from', 'to'].flatMap((field) => (line[field] === undefined ? [] : [String(line[field])]));
  if (line['record'] === 'memory') return memories.has(String(line['id']));
  return ends.length > 0 && ends.every((end) => memories.has(end));
}

/** In JSON `<` stands in texts only, where it may be written so that no text can end the element that holds it. */
function escaped(line: Buffer): Buffer {
  if (!line.includes(LESS_THAN)) return line;
  const parts: Buffer[] = [];
  let start = 0;
  for (let at = line.indexOf(LESS_THAN); at >= 0; at = line.indexOf(LESS_THAN, start)) {
    parts.push(line.subarray(start, at), ESCAPED);
    start = at + 1;
  }
  return Buffer.concat([...parts, line.subarray(start)]);
}
