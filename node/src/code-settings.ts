import { packagedFile } from './paths.ts';

/** The folder whose projects may be indexed, the modules that parse them, and the table of static vectors. */
export interface CodeSettings {
  readonly root: string;
  readonly wasm: string;
  readonly wasmMore: string;
  readonly subwords: string;
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
