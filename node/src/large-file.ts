/** Reading files of megabytes, such as modules and models. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The part of WebAssembly's interface that is used here, which Node's types do not declare. */
declare const WebAssembly: {
  readonly Memory: new (pages: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
};

const PAGE_BYTES = 65_536;

/**
 * Reads a file into memory of its own, which the system gets back with the buffer.
 *
 * A buffer of Node's is memory of the C library, and glibc takes the largest that was freed as a measure: each of its
 * arenas (Node has six) may then keep twice as much freed memory. Once a module was read, these were 17 MB an arena,
 * 50 MB of the process, which V8 had used for compilation.
 */
export function readLarge(path: string): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = memoryOf(fstatSync(file).size);
    let length = 0;
    while (length < bytes.length) {
      const count = readSync(file, bytes, length, bytes.length - length, null);
      if (count === 0) break;
      length += count;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

function memoryOf(bytes: number): Uint8Array {
  const pages = Math.ceil(bytes / PAGE_BYTES);
  return new Uint8Array(new WebAssembly.Memory({ initial: pages, maximum: pages }).buffer, 0, bytes);
}
