/**
 * `limbic-memory export`: the memory in a file of another format. Runs the core in the main thread, since no other call
 * waits for it.
 */
import { accessSync, closeSync, constants, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Core, database_formats, export_formats } from 'limbic-pkg/core/limbic_core.js';
import { readAt } from './core/file-source.ts';
import { openStandalone, loadCore } from './core/standalone.ts';
import type { ExportOptions } from './export-options.ts';
import { knownFailure } from 'limbic-shell/failure.ts';
import { readPage, writePage } from './html.ts';
import { log } from './log.ts';
import { oneOf } from './options.ts';
import { isClosedPipe } from './output.ts';
import { sizeWarning } from './page-size.ts';
import { packagedFile } from './paths.ts';
import { attempt, reasonOf, Target, TargetError, writeAll } from './target.ts';
import { UsageError } from './usage.ts';

interface Exported {
  readonly records: number;
  readonly bytes: number;
  readonly note: string | null;
  readonly warning: string | null;
}

const HTML = 'html';
const OUTPUT = 1;
const PIECE_BYTES = 64 * 1024;

/** Writes the file and prints a summary to standard error. Returns the exit code. */
export function runExport(options: ExportOptions): number {
  try {
    loadCore();
    check(options);
    const exported = options.out === '-' ? toOutput(options) : toFile(options);
    log(`exported ${exported.records} records, ${exported.bytes} bytes`);
    if (exported.note !== null) log(exported.note);
    if (exported.warning !== null) log(exported.warning);
    const warning = options.format === HTML ? sizeWarning(exported.bytes, options.types) : undefined;
    if (warning !== undefined) log(warning);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      log(error.message);
      return 2;
    }
    const failure = knownFailure(error);
    if (failure === undefined && !(error instanceof TargetError)) throw error;
    log(failure === undefined ? `The export cannot be written: ${reasonOf(error)}` : failure.error);
    if (failure?.hint !== undefined) log(failure.hint);
    return 2;
  }
}

function check({ db, format, out }: ExportOptions): void {
  if (format !== HTML) oneOf('--format', format, export_formats());
  if (!existsSync(db)) throw new UsageError(`the database to export does not exist: ${db}`);
  if (out === '-' && database_formats().includes(format)) {
    throw new UsageError('a database cannot be written to standard output: name a file with --out');
  }
}

function toFile(options: ExportOptions): Exported {
  const target = new Target(options.out, options.replaces, options.db);
  try {
    const exported = write(options, (piece) => target.write(piece));
    target.finish();
    return exported;
  } catch (error) {
    target.abandon();
    throw error;
  }
}

/**
 * Exports to a temporary file first, so that a slow reader of the pipe does not block writers of the database. A signal
 * ends this program without cleaning up, so that the file is removed before anything is written to it.
 */
function toOutput(options: ExportOptions): Exported {
  const folder = attempt(tmpdir(), () => mkdtempSync(join(tmpdir(), 'limbic-export-')));
  const path = join(folder, 'export');
  try {
    const file = attempt(path, () => openSync(path, 'wx+', 0o600));
    try {
      // Windows cannot remove an open file.
      if (process.platform !== 'win32') rmSync(folder, { recursive: true, force: true });
      const exported = write(options, (piece) => attempt(path, () => writeAll(file, piece)));
      try {
        copyToOutput(file);
      } catch (error) {
        throw isClosedPipe(error) ? error : new TargetError(`${reasonOf(error)}: ${options.out}`);
      }
      return exported;
    } finally {
      closeSync(file);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function copyToOutput(file: number): void {
  const buffer = new Uint8Array(PIECE_BYTES);
  for (let at = 0; ; ) {
    const count = readAt(file, buffer, at);
    if (count === 0) return;
    writeAll(OUTPUT, buffer.subarray(0, count));
    at += count;
  }
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens the database for writing if that is permitted, so that a hot journal is rolled back and an old schema is
 * migrated.
 */
function write(options: ExportOptions, sink: (piece: Uint8Array) => void): Exported {
  const database = openStandalone(options.db, { readOnly: !mayWrite(options.db) });
  try {
    const limbic = database.open();
    if (options.format === HTML) return exportPage(limbic, options, sink);
    return JSON.parse(limbic.export_as(options.format, sink, options.user)) as Exported;
  } finally {
    database.close();
  }
}

function exportPage(limbic: Core, { types }: ExportOptions, sink: (piece: Uint8Array) => void): Exported {
  const page = readPage();
  const copy = limbic.reading_copy([...(types ?? [])]);
  try {
    const contents = { core: readFileSync(packagedFile('limbic_core_bg.wasm')), memory: copy.database };
    const bytes = writePage(page, contents, sink);
    return { records: copy.records, bytes, note: null, warning: copy.warning ?? null };
  } finally {
    copy.free();
  }
}
