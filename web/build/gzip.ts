import { gzipAsync } from '@gfx/zopfli';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

/** Iterations of zopfli; more take longer without a relevant gain. */
const ROUNDS = 5;

/** Compresses with zopfli: five percent smaller than zlib's level 9, in seconds. */
export function smallGzip(content: Uint8Array): Promise<Uint8Array> {
  return gzipAsync(content, { numiterations: ROUNDS });
}

/** Compresses quickly, for files that few visits load. */
export function fastGzip(content: Uint8Array): Uint8Array {
  return gzipSync(content, { level: 9 });
}

/** Compresses content into a file, unless the file is up to date. */
export async function packInto(
  file: string,
  content: Uint8Array,
  compress: (content: Uint8Array) => Uint8Array | Promise<Uint8Array> = smallGzip,
): Promise<void> {
  if (!existsSync(file) || !holds(readFileSync(file), content)) writeFileSync(file, await compress(content));
}

function holds(packed: Uint8Array, content: Uint8Array): boolean {
  try {
    return gunzipSync(packed).equals(content);
  } catch {
    // An interrupted build left an incomplete file.
    return false;
  }
}
