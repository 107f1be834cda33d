/** A memory as a page: a copy of its database, and the core that reads it, put into the page that shows them. */
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { packagedFile } from './paths.ts';
import { TargetError } from './target.ts';

/** What goes into the page. */
export interface Contents {
  /** The module, as it is built. */
  readonly core: Uint8Array;
  /** A SQLite file that the core opens. */
  readonly memory: Uint8Array;
}

/** Smaller takes twice as long and saves a hundredth. */
const LEVEL = 9;

/**
 * The page without a memory in it.
 *
 * @throws TargetError
 */
export function readPage(path = packagedFile('standalone.html')): string {
  if (!existsSync(path)) throw new TargetError('the page is not part of this build: run `cargo xtask build`');
  return readFileSync(path, 'utf8');
}

/**
 * Writes a page in pieces, and gives the bytes of all of them.
 *
 * @throws TargetError
 */
export function writePage(page: string, contents: Contents, sink: (piece: Uint8Array) => void): number {
  // In base64 no text can end the element that holds it, and no server or editor changes a byte.
  const parts = page.split(/@(core|memory)@/);
  if (parts.length !== 2 * Object.keys(contents).length + 1)
    throw new TargetError('it is no page for a memory: run `cargo xtask build`');
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
