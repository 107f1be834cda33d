import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { fastGzip, packInto, smallGzip } from './gzip.ts';

const SAMPLE = fileURLToPath(new URL('../sample/build.mjs', import.meta.url));
/** The files of `pkg` that are compressed: the name of the result, the file, and how. */
const MODULES = [
  ['core', 'core/limbic_core_bg.wasm', smallGzip],
  ['code', 'code/limbic_code.wasm', fastGzip],
  ['code-more', 'code-more/limbic_code_more.wasm', fastGzip],
  ['code-subwords', 'model/subwords.bin', fastGzip],
] as const;
const PKG = fileURLToPath(new URL('../../pkg', import.meta.url));
/** The folder of compressed files, with the alias `limbic-packed`. */
export const PACKED_FOLDER = fileURLToPath(new URL('../node_modules/.limbic-packed', import.meta.url));
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Builds the sample memory from its text files, and compresses it, the core and what only opened source code needs,
 * since not every file server compresses.
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
        execFileSync(process.execPath, [SAMPLE], { maxBuffer: MAX_OUTPUT_BYTES, stdio: ['ignore', 'pipe', 'ignore'] }),
      );
      for (const [name, path, compress] of MODULES) {
        const module = `${PKG}/${path}`;
        if (existsSync(module)) await packInto(`${PACKED_FOLDER}/${name}.bin`, readFileSync(module), compress);
      }
    },
  };
}
