import { gzipAsync } from '@gfx/zopfli';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** More of them take longer and save nothing worth it. */
const ROUNDS = 5;

/** The smallest gzip there is: a twentieth less than level 9 of zlib makes, in seconds. */
export function smallGzip(content: Uint8Array): Promise<Uint8Array> {
  return gzipAsync(content, { numiterations: ROUNDS });
}

/** Packs into a file, unless it has been packed from this very content. */
export async function packInto(file: string, content: Uint8Array): Promise<void> {
  const source = createHash('sha256').update(content).digest('hex');
  const known = `${file}.of`;
  if (existsSync(file) && existsSync(known) && readFileSync(known, 'utf8') === source) return;
  writeFileSync(file, await smallGzip(content));
  writeFileSync(known, source);
}
