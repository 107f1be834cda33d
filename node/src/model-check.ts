/** `limbic-memory model check`: describes the model in a folder. */
import { readFileSync } from 'node:fs';
import { initSync } from 'limbic-pkg/encoder/limbic_encoder.js';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { packagedFile } from './paths.ts';
import { log } from './log.ts';
import { loadModel } from './model-folder.ts';
import type { ModelOptions } from './model-options.ts';

/** Lengths of the texts that are timed, in words. */
const WORDS = [12, 200];
/** Minimum time over which the encoding of a text is averaged. */
const MIN_MILLIS = 500;

/** Prints the model's properties, settings and speed. Returns the exit code. */
export function runModelCheck({ folder, dimensions }: ModelOptions): number {
  try {
    initSync({ module: readFileSync(packagedFile('limbic_encoder_bg.wasm')) });
    const startedMillis = performance.now();
    const encoder = loadModel(folder, dimensions);
    const speed = [`loaded in ${Math.round(performance.now() - startedMillis)} ms`];
    const report = encoder.describe();
    for (const words of WORDS) {
      const text = Array.from({ length: words }, () => 'lighthouse').join(' ');
      speed.push(`${words} words in ${meanMillis(() => encoder.sentence(text)).toFixed(1)} ms`);
    }
    process.stdout.write(`${report}${'speed'.padEnd(12)} ${speed.join(', ')}\n`);
    return 0;
  } catch (error) {
    log(knownFailure(error)?.error ?? textOf(error));
    return 2;
  }
}

function meanMillis(work: () => unknown): number {
  work();
  const startedMillis = performance.now();
  let count = 0;
  while (count === 0 || performance.now() - startedMillis < MIN_MILLIS) {
    work();
    count += 1;
  }
  return (performance.now() - startedMillis) / count;
}
