import assert from 'node:assert/strict';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { test } from 'node:test';
import { PassThrough } from 'node:stream';
import { StdioTransport } from '../../node/src/stdio.ts';
import { withoutUnreadRepeats } from '../../node/src/http/unread.ts';

function streamed(): {
  readonly send: (text: string) => void;
  readonly end: (error?: Error) => void;
  readonly read: () => Promise<string | undefined>;
  readonly cancel: () => Promise<void>;
  readonly cancelled: () => boolean;
} {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isCancelled = false;
  const source = new ReadableStream<Uint8Array>({
    start: (own) => {
      controller = own;
    },
    cancel: () => {
      isCancelled = true;
    },
  });
  const reader = withoutUnreadRepeats(source).getReader();
  return {
    send: (text) => controller?.enqueue(new TextEncoder().encode(text)),
    end: (error) => (error === undefined ? controller?.close() : controller?.error(error)),
    read: async () => {
      const { value } = await reader.read();
      return value === undefined ? undefined : new TextDecoder().decode(value);
    },
    cancel: () => reader.cancel(),
    cancelled: () => isCancelled,
  };
}

const updated = (uri: string): string =>
  `data: {"method":"notifications/resources/updated","params":{"uri":"${uri}"}}\n\n`;

test('a notification that is still unread does not wait twice', async () => {
  const { send, end, read } = streamed();
  for (let change = 0; change < 1000; change++) {
    send(updated('a'));
    send(updated('b'));
  }
  send('data: {"id":1,"result":{}}\n\n');
  send(updated('a'));
  for (let turn = 0; turn < 10; turn++) await turnOfLoop();
  end();
  const texts = [];
  for (let text = await read(); text !== undefined; text = await read()) texts.push(text);
  assert.deepEqual(texts, [updated('a'), updated('b'), 'data: {"id":1,"result":{}}\n\n']);
});

test('a notification that was read is sent again', async () => {
  const { send, end, read } = streamed();
  for (let change = 0; change < 3; change++) {
    send(updated('a'));
    assert.equal(await read(), updated('a'));
  }
  end();
  assert.equal(await read(), undefined);
});

test('the end, a failure and a cancellation are passed on', async () => {
  const failed = streamed();
  failed.send('x');
  failed.end(new Error('broken'));
  await assert.rejects(async () => {
    while ((await failed.read()) !== undefined);
  }, /broken/);
  const left = streamed();
  await left.cancel();
  assert.equal(left.cancelled(), true);
});

test('long messages are never taken for repeats', async () => {
  const { send, read } = streamed();
  const long = 'x'.repeat(100_000);
  send(long);
  send(long);
  assert.deepEqual([await read(), await read()], [long, long]);
});

test('on stdio, a notification waits once for a client that does not read', async () => {
  const taken: { readonly text: string; readonly done: () => void }[] = [];
  const transport = new StdioTransport(new PassThrough(), (text, done) => taken.push({ text, done }) > 0);
  const method = 'notifications/resources/updated';
  const tell = (uri: string): Promise<void> => transport.send({ jsonrpc: '2.0', method, params: { uri } });
  for (let change = 0; change < 100; change++) {
    await tell('a');
    await tell('b');
  }
  assert.equal(taken.length, 2);
  taken[0]?.done();
  await tell('a');
  await tell('b');
  assert.equal(taken.length, 3, 'what was read is sent again');
  assert.equal(taken[2]?.text, taken[0]?.text);
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  await tell('b');
  assert.equal(taken.length, 5, 'a change after a response is announced after it');
});
