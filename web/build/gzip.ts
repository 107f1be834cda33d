import { gzipAsync } from '@gfx/zopfli';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** More of them take longer and save nothing worth it. */
const ROUNDS = 5;

/** The smallest gzip there is: a twentieth less than level 9 of zlib makes, in seconds. */
export function smallGzip(content: Uint8Array): Promise<Uint8Array> {
  return gzipAsync(content, { numiterations: ROUNDS });
}

/** Packs into a file, unless it holds this very content. */
export async function packInto(file: string, content: Uint8Array): Promise<void> {
  if (!existsSync(file) || !holds(readFileSync(file), content)) writeFileSync(file, await smallGzip(content));
}

function holds(packed: Uint8Array, content: Uint8Array): boolean {
  try {
    return gunzipSync(packed).equals(content);
  } catch {
    // A build that was stopped left half of it.
    return false;
  }
}
