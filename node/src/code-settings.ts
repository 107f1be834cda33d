import { existsSync } from 'node:fs';
import { packagedFile } from './paths.ts';

/** The folder whose projects may be indexed, the modules that parse them, and the table of static vectors. */
export interface CodeSettings {
  readonly root: string;
  readonly wasm: string;
  readonly wasmMore: string;
  readonly subwords: string;
}

/** Whether the module that parses source code is part of this package. */
export function hasCodeModule(): boolean {
  return existsSync(packagedFile('limbic_code.wasm'));
}

/** The settings for the source code below a folder. */
export function codeBelow(root: string): CodeSettings {
  return {
    root,
    wasm: packagedFile('limbic_code.wasm'),
    wasmMore: packagedFile('limbic_code_more.wasm'),
    subwords: packagedFile('model/subwords.bin'),
  };
}
