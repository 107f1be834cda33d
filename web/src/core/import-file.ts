import { failedWith, type HeldAnswer, taken } from 'limbic-shell/answer.ts';
import { NO_ENCODINGS } from 'limbic-shell/encoder-link.ts';
import { textOf } from 'limbic-shell/failure.ts';
import { HEAD_BYTES, isDatabase, isInWalMode, isLimbicDatabase, isLiveJournal } from './database-head.ts';
import type { ImportOrder, Reply } from './messages.ts';
import { isWithoutRecords, MAX_PREVIOUS_BYTES, type Stats } from './stored-content.ts';

type Progress = (done: number, total: number) => void;

/** A file with random access. */
export interface Source {
  readonly size: number;
  readAt(buffer: Uint8Array, offset: number): number;
  /** The file of the same name with this suffix. */
  sidecar?(suffix: '-wal' | '-journal'): Source | undefined;
}

/** The methods of the core that an import uses. */
export interface ImportingCore {
  call(tool: string, args: string, encodings: Uint8Array): HeldAnswer;
  call_with_file(
    tool: string,
    args: string,
    encodings: Uint8Array,
    source: Source,
    progress: Progress,
    session?: string,
  ): HeldAnswer;
  import_database(file: Uint8Array, wal?: Uint8Array): void;
  export_database(): Uint8Array;
}

/** Record kinds in a report. */
const KINDS = ['entities', 'observations', 'relations', 'reflections', 'memories', 'domains', 'links'];
/** Maximum size of a database in the browser; reading a larger one would end the worker. */
const MAX_DATABASE_BYTES = 1024 ** 3;
const AUDIT_LINES = JSON.stringify({ sql: 'SELECT count(*) FROM audit_log' });

/**
 * Imports a file: a Limbic database replaces the memory, anything else is added to it.
 *
 * The current content and the previous database are read in the same turn as the import, so no other tab can write in
 * between.
 *
 * @param session the session of the page in the core, which the audit log names.
 */
export function importFile(core: ImportingCore, order: ImportOrder, progress: Progress, session: string): Reply {
  const { name, file, wal, journal, replaces, keepsPrevious } = order;
  const reader = new FileReaderSync();
  const read = (part: Blob): Uint8Array => new Uint8Array(reader.readAsArrayBuffer(part));
  const headOf = (part: Blob): Uint8Array => read(part.slice(0, HEAD_BYTES));
  const refused = refusal(order, headOf);
  if (refused !== undefined) return refused;
  const isOwn = isLimbicDatabase(headOf(file));
  const stored = statsOf(core);
  const mayKeep = stored.file.bytes <= MAX_PREVIOUS_BYTES;
  if (isOwn && !replaces && !isEmpty(core, stored)) return wouldReplace(name, mayKeep);
  const previous = keepsPrevious && mayKeep ? new Uint8Array(core.export_database()) : undefined;
  if (isOwn) {
    core.import_database(read(file), wal && read(wal));
    return {
      isError: false,
      text: JSON.stringify({ replaced: true, ...importedCounts(statsOf(core)) }),
      bytes: previous,
    };
  }
  const sidecars = { '-wal': wal, '-journal': journal };
  const source: Source = {
    ...sourceOf(file, read),
    sidecar(suffix) {
      const found = sidecars[suffix];
      return found === undefined || found.size === 0 ? undefined : sourceOf(found, read);
    },
  };
  const args = JSON.stringify({ source_path: name });
  return { ...taken(core.call_with_file('migrate', args, NO_ENCODINGS, source, progress, session)), bytes: previous };
}

/** Wraps a file for the core. Returns fewer bytes than requested only at the end. */
export function sourceOf(file: Blob, read: (part: Blob) => Uint8Array): Source {
  return {
    size: file.size,
    readAt(buffer, offset) {
      const part = read(file.slice(offset, offset + buffer.length));
      buffer.set(part);
      return part.length;
    },
  };
}

/** Why a file is rejected, based on its first bytes. */
function refusal({ name, file, wal, journal }: ImportOrder, headOf: (part: Blob) => Uint8Array): Reply | undefined {
  let head: Uint8Array;
  try {
    head = headOf(file);
  } catch (error) {
    return failedWith(
      'source_unreadable',
      `“${name}” cannot be read: ${textOf(error)}`,
      'Choose a file; folders cannot be imported here.',
    );
  }
  if (!isDatabase(head)) return undefined;
  if (file.size > MAX_DATABASE_BYTES) return tooLarge(file.size);
  if (isInWalMode(head) && wal === undefined) {
    const error = `“${name}” is in WAL mode: its latest changes may be in “${name}-wal”, which was not selected. Nothing was imported.`;
    return failedWith(
      'wal_missing',
      error,
      `Select or drop “${name}” and “${name}-wal” together. If that file does not exist, the database was closed properly and is complete.`,
    );
  }
  if (journal !== undefined && isLiveJournal(headOf(journal))) {
    const error = `“${name}-journal” belongs to an unfinished transaction, so “${name}” may be inconsistent. Nothing was imported.`;
    return failedWith(
      'source_unreadable',
      error,
      'Open the database once with the program that wrote it or with sqlite3, close it, and import it again.',
    );
  }
  return undefined;
}

function statsOf(core: ImportingCore): Stats {
  return answerOf<Stats>(core, 'explore_stats', '{}');
}

/** The counts of an imported database, in the format of `migrate`. */
function importedCounts({ counts }: Stats): Readonly<Record<string, number | undefined>> {
  return Object.fromEntries(KINDS.map((kind) => [`${kind}_imported`, counts[kind]]));
}

/** Whether replacing the memory would lose nothing, not even audit lines. */
function isEmpty(core: ImportingCore, stored: Stats): boolean {
  if (!isWithoutRecords(stored)) return false;
  const { rows } = answerOf<{ readonly rows: readonly (readonly unknown[])[] }>(core, 'query_sql', AUDIT_LINES);
  return rows[0]?.[0] === 0;
}

/** Throws the tool's error, which becomes the reply. */
function answerOf<T>(core: ImportingCore, tool: string, args: string): T {
  const { isError, text } = taken(core.call(tool, args, NO_ENCODINGS));
  if (isError) throw new Error(text);
  return JSON.parse(text) as T;
}

function wouldReplace(name: string, canUndo: boolean): Reply {
  const error = `“${name}” is a Limbic database: importing it replaces everything in this memory.`;
  const hint = canUndo
    ? 'You can undo this until the page is closed.'
    : 'This memory is too large to be kept for Undo: export the database first if you need it.';
  return failedWith('would_replace', error, hint);
}

function tooLarge(bytes: number): Reply {
  const error = `The browser can open databases of up to 1 GiB; this one has ${(bytes / MAX_DATABASE_BYTES).toFixed(1)} GiB`;
  return failedWith('file_too_large', error, 'Open it on a server: limbic-memory --ui --db FILE.');
}
