import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { packInto } from './gzip.ts';

const SAMPLE = fileURLToPath(new URL('../sample/build.mjs', import.meta.url));
const CORE = fileURLToPath(new URL('../../pkg/core/limbic_core_bg.wasm', import.meta.url));
/** The folder of compressed files, with the alias `limbic-packed`. */
export const PACKED_FOLDER = fileURLToPath(new URL('../node_modules/.limbic-packed', import.meta.url));
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Builds the sample memory from its text files, and compresses it and the core, since not every file server compresses.
 *
 * The names end in `.bin`: servers handle `.gz` differently.
 */
export function packed(): Plugin {
  return {
    name: 'packed',
    enforce: 'pre',
    async buildStart() {
      mkdirSync(PACKED_FOLDER, { recursive: true });
      await packInto(
        `${PACKED_FOLDER}/sample.bin`,
        execFileSync(process.execPath, [SAMPLE], { maxBuffer: OUTPUT_BYTES_MAX, stdio: ['ignore', 'pipe', 'ignore'] }),
      );
      if (existsSync(CORE)) await packInto(`${PACKED_FOLDER}/core.bin`, readFileSync(CORE));
    },
  };
}
