import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restored } from '../../node/src/exact-json.ts';
import { JsonText, serialised } from '../../node/src/json-text.ts';

type JSONRPCMessage = Parameters<typeof serialised>[0];

const OBJECT = { name: 'a "quoted" } name', lines: 'one\ntwo', nested: [{}, [], 1.5, null] };

function answer(structuredContent: unknown, fields: Record<string, unknown> = {}): JSONRPCMessage {
  return { result: { ...fields, structuredContent }, jsonrpc: '2.0', id: 7 } as JSONRPCMessage;
}

test('structured content as text is sent as the object that it is', () => {
  const content = [{ type: 'text', text: JSON.stringify(OBJECT) }];
  for (const fields of [{ content }, {}, { content, _meta: { a: 1 }, isError: undefined }]) {
    const text = new JsonText(JSON.stringify(OBJECT));
    const line = serialised(answer(text, fields));
    assert.deepEqual(JSON.parse(line), JSON.parse(JSON.stringify(answer(OBJECT, fields))));
    assert.equal(line.includes('\n'), false, 'a message is one line');
    const other = restored(JSON.stringify(answer(text, fields)));
    assert.deepEqual(JSON.parse(other), JSON.parse(line), 'other transports');
  }
});

test('other messages are serialised as they are', () => {
  const messages: JSONRPCMessage[] = [
    answer(OBJECT),
    { jsonrpc: '2.0', id: 'x', result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'unknown' } },
    { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'memory://stats' } },
  ];
  for (const message of messages) assert.equal(serialised(message), JSON.stringify(message));
});
