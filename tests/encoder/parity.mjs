// The encoder's WebAssembly build against the native one and against the published weights.
//
// node --test tests/encoder/parity.mjs, after pkg/encoder and pkg/model were built.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const TO_NATIVE = 0.9999;
const TO_REFERENCE = 0.998;

const pkg = new URL('../../pkg/', import.meta.url);
for (const file of ['encoder/limbic_encoder_bg.wasm', 'model/model.onnx']) {
  assert.ok(existsSync(new URL(file, pkg)), `pkg/${file} is missing; run \`cargo xtask build\` first`);
}
const { Encoder, initSync } = await import(new URL('encoder/limbic_encoder.js', pkg));
initSync({ module: readFileSync(new URL('encoder/limbic_encoder_bg.wasm', pkg)) });

const model = readFileSync(new URL('model/model.onnx', pkg));
const tokenizer = readFileSync(new URL('model/tokenizer.json', pkg));
const sentencesOf = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')).sentences;

function cosine(left, right) {
  const dot = (a, b) => a.reduce((sum, number, index) => sum + number * b[index], 0);
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
}

test('sentence vectors are those of the native build and close to the published weights', () => {
  const encoder = Encoder.load(model, tokenizer);
  const native = sentencesOf('native.json');
  for (const [index, { text, vector: reference }] of sentencesOf('reference.json').entries()) {
    assert.equal(native[index].text, text);
    const vector = Array.from(encoder.sentence(text));
    const toNative = cosine(vector, native[index].vector);
    const toReference = cosine(vector, reference);
    assert.ok(toNative >= TO_NATIVE, `cosine ${toNative} to the native build for: ${text}`);
    assert.ok(toReference >= TO_REFERENCE, `cosine ${toReference} to the reference for: ${text}`);
  }
});

test('the test encoder gives the committed bytes', () => {
  const bytesOf = (name) => readFileSync(new URL(name, import.meta.url));
  const answer = Encoder.test().encode(bytesOf('test-tasks.bin'));
  assert.ok(bytesOf('test-encodings.bin').equals(answer));
});

test('a wrong model is refused with a code and the next step', () => {
  assert.throws(
    () => Encoder.load(new Uint8Array([1, 2, 3]), tokenizer),
    (error) => {
      const { error: message, code } = JSON.parse(error.message);
      assert.equal(code, 'model_unusable');
      assert.match(message, /give an ONNX file/);
      return true;
    },
  );
});
