/** Prints the size of a file, as it lies and after gzip: `node gzip.mjs FILE`. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const bytes = readFileSync(process.argv[2]);
console.log(JSON.stringify({ raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length }));
