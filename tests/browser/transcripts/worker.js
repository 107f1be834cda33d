/** Runs calls on the core in the browser's storage, with the test encoder; drains the embedding queue before each. */
import startCore, { Core } from '/pkg/core/limbic_core.js';
import startEncoder, { Encoder } from '/pkg/encoder/limbic_encoder.js';

const NO_ENCODINGS = new Uint8Array(0);
const BATCH = 64;

function drain(core, encoder) {
  core.store_vectors(NO_ENCODINGS, encoder.name());
  for (let tasks = core.pending(BATCH); tasks.length > 0; tasks = core.pending(BATCH)) {
    core.store_vectors(encoder.encode(tasks), encoder.name());
  }
}

async function call(core, encoder, tool, args) {
  drain(core, encoder);
  const tasks = core.texts(tool, args);
  const encodings = tasks.length === 0 ? NO_ENCODINGS : encoder.encode(tasks);
  const path = core.file_argument(tool, args);
  if (path === undefined) return formatted(core.call(tool, args, encodings));
  const response = await fetch(path);
  if (!response.ok) return formatted(core.file_error(path, 'there is no such file'));
  return formatted(
    core.call_with_file(tool, args, encodings, sourceOf(new Uint8Array(await response.arrayBuffer())), () => {}),
  );
}

/** An answer in the format of the expected transcripts. */
function formatted(answer) {
  const line = `{"isError":${answer.isError},"content":${answer.takeText()}}`;
  answer.free();
  return line;
}

/** Bytes as the core reads a file. */
function sourceOf(bytes) {
  return {
    size: bytes.length,
    readAt(buffer, offset) {
      const part = bytes.subarray(offset, offset + buffer.length);
      buffer.set(part);
      return part.length;
    },
  };
}

self.onmessage = async ({ data: { name, toolsets, compat, testClock, calls } }) => {
  try {
    await startCore({ module_or_path: '/pkg/core/limbic_core_bg.wasm' });
    await startEncoder();
    const core = await Core.open_opfs(
      JSON.stringify({ directory: name, path: 'memory.db', toolsets, compat, testClock }),
    );
    core.introduce(undefined, 'client', 'limbic-tests', '');
    const encoder = Encoder.test();
    const answers = [];
    for (const { tool, args } of calls) answers.push(await call(core, encoder, tool, args));
    core.close();
    self.postMessage({ answers });
  } catch (error) {
    self.postMessage({ broken: String(error?.stack ?? error) });
  }
};
