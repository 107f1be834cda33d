/** Reads the folder of a sentence model. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Encoder } from 'limbic-pkg/encoder/limbic_encoder.js';
import { readLarge } from './large-file.ts';

/**
 * Loads the model in a folder with the module, which must be initialised. With `dimensions`, vectors are truncated.
 *
 * @throws Error whose message is JSON with a code: `model_unreadable` or `model_unusable`.
 */
export function loadModel(folder: string, dimensions: number | undefined): Encoder {
  const names = Encoder.modelFiles();
  const model = names.find((name) => existsSync(join(folder, name))) ?? names[0] ?? '';
  const files: Record<string, string> = {};
  for (const name of Encoder.configurationFiles()) {
    const path = join(folder, name);
    if (existsSync(path)) files[name] = readPart(path, readShort).toString('utf8');
  }
  const bytes = readPart(join(folder, model), readLarge);
  return Encoder.load(bytes, readPart(join(folder, 'tokenizer.json'), readShort), JSON.stringify(files), dimensions);
}

const readShort = (path: string): Buffer => readFileSync(path);

function readPart<Bytes extends Uint8Array>(path: string, read: (path: string) => Bytes): Bytes {
  try {
    return read(path);
  } catch (error) {
    const text = `the model's file cannot be read (${unreadableReason(error)}): ${path}`;
    throw new Error(JSON.stringify({ error: text, code: 'model_unreadable' }));
  }
}

/** Why a file cannot be read, as the native program words it. */
function unreadableReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'it does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  return error instanceof Error ? error.message : String(error);
}
