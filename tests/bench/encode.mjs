/**
 * Times our encoder and onnxruntime-web on the same model, one thread each, in turn.
 *
 * `node encode.mjs PEERS LENGTHS`: the folder onnxruntime-web was installed in, and numbers of tokens with commas
 * between. Prints the median milliseconds of each. onnxruntime-web gets token numbers, so it is spared the splitting of
 * the text.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const ROUNDS = 9;
/** Numbers in BERT's vocabulary. */
const [CLS, SEP, RIVER] = [101, 102, 2314];

const [peers, list] = process.argv.slice(2);
const lengths = list.split(',').map(Number);
const pkg = new URL('../../pkg/', import.meta.url);
const model = readFileSync(new URL('model/model.onnx', pkg));

async function limbic() {
  const { Encoder, initSync } = await import(new URL('encoder/limbic_encoder.js', pkg));
  const start = performance.now();
  initSync({ module: readFileSync(new URL('encoder/limbic_encoder_bg.wasm', pkg)) });
  const encoder = Encoder.load(model, readFileSync(new URL('model/tokenizer.json', pkg)));
  const load = performance.now() - start;
  return {
    load,
    run: (length) =>
      encoder.sentence(
        Array(length - 2)
          .fill('river')
          .join(' '),
      ),
  };
}

async function onnxruntime() {
  const require = createRequire(join(resolve(peers), 'package.json'));
  const ort = require('onnxruntime-web');
  ort.env.wasm.numThreads = 1;
  const start = performance.now();
  const session = await ort.InferenceSession.create(model, { executionProviders: ['wasm'] });
  const load = performance.now() - start;
  const tensor = (values) => new ort.Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
  const run = async (length) => {
    const all = {
      input_ids: tensor([CLS, ...Array(length - 2).fill(RIVER), SEP]),
      attention_mask: tensor(Array(length).fill(1)),
      token_type_ids: tensor(Array(length).fill(0)),
    };
    await session.run(Object.fromEntries(session.inputNames.map((name) => [name, all[name]])));
  };
  return { load, run };
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

const encoders = { limbic: await limbic(), onnxruntime: await onnxruntime() };
const result = { load: {}, limbic: {}, onnxruntime: {} };
for (const [name, { load }] of Object.entries(encoders)) result.load[name] = load;
for (const length of lengths) {
  const times = { limbic: [], onnxruntime: [] };
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, { run }] of Object.entries(encoders)) {
      const start = performance.now();
      await run(length);
      if (round > 0) times[name].push(performance.now() - start);
    }
  }
  for (const name of Object.keys(times)) result[name][length] = median(times[name]);
}
console.log(JSON.stringify(result));
