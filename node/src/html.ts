/** Writes an HTML page with a copy of the database and the core that reads it. */
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { packagedFile } from './paths.ts';
import { TargetError } from './target.ts';

/** The embedded contents of a page. */
export interface Contents {
  /** The core's WebAssembly module. */
  readonly core: Uint8Array;
  /** The SQLite file. */
  readonly memory: Uint8Array;
}

/** gzip level: the highest. */
const LEVEL = 9;

/**
 * Reads the page with placeholders for its contents.
 *
 * @throws TargetError
 */
export function readPage(path = packagedFile('standalone.html')): string {
  if (!existsSync(path)) throw new TargetError('the page is not part of this build: run `cargo xtask build`');
  return readFileSync(path, 'utf8');
}

/**
 * Writes a page in chunks. Returns the total number of bytes.
 *
 * @throws TargetError
 */
export function writePage(page: string, contents: Contents, sink: (piece: Uint8Array) => void): number {
  // Base64 cannot contain the end tag of its element, and servers and editors do not change it.
  const parts = page.split(/@(core|memory)@/);
  if (parts.length !== 2 * Object.keys(contents).length + 1)
    throw new TargetError('the page has no placeholders: run `cargo xtask build`');
  let bytes = 0;
  for (const [index, part] of parts.entries()) {
    const text =
      index % 2 === 0 ? part : gzipSync(contents[part as keyof Contents], { level: LEVEL }).toString('base64');
    const piece = Buffer.from(text);
    sink(piece);
    bytes += piece.length;
  }
  return bytes;
}
