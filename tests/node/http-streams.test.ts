/** Streams of a session on Node, which its client opens with GET. */
import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { entities, eventually } from './support/client.ts';
import { type HttpServer, listening } from './support/http.ts';
import { temporaryFolder } from './support/places.ts';

interface Stream {
  /** What has arrived. */
  text: string;
  hasEnded: boolean;
  end: () => void;
}

/** Opens the stream of a session. */
async function stream(server: HttpServer, session: Record<string, string>): Promise<Stream> {
  const found: Stream = { text: '', hasEnded: false, end: () => {} };
  await new Promise<void>((resolve, reject) => {
    const headers = { ...session, accept: 'text/event-stream' };
    const sent = httpRequest({ host: '127.0.0.1', port: server.port, path: '/mcp', headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(String(response.statusCode)));
      response.on('data', (piece: Buffer) => {
        found.text += piece.toString();
      });
      response.on('error', () => {});
      response.on('end', () => {
        found.hasEnded = true;
      });
      resolve();
    });
    sent.on('error', reject);
    sent.end();
    found.end = () => sent.destroy();
  });
  return found;
}

test('a session has several streams, and each notification is sent in one of them', async (t) => {
  const args = ['--db', join(temporaryFolder(), 'memory.db'), '--http', '0', '--no-model'];
  const server = await listening(t, args);
  const session = await server.begin();
  const post = async (id: number, method: string, params: object): Promise<void> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const reply = await server.send('/mcp', { method: 'POST', headers: session, body });
    assert.equal(reply.status, 200, reply.body.toString());
  };
  const updates = (text: string): number => text.split('notifications/resources/updated').length - 1;
  await post(1, 'resources/subscribe', { uri: 'memory://knowledge-graph' });
  const [first, second] = [await stream(server, session), await stream(server, session)];
  const third = await stream(server, session);
  t.after(() => [first, second, third].forEach(({ end }) => end()));
  await post(2, 'tools/call', { name: 'create_entities', arguments: entities('Ada') });
  await eventually('the latest is told', () => updates(third.text) === 1);
  assert.deepEqual([updates(first.text), updates(second.text)], [0, 0]);
  // One that has ended is replaced by the latest of the others, and a stream that was not the latest may end.
  first.end();
  third.end();
  let calls = 3;
  await eventually('another one is told', async () => {
    await post(calls++, 'tools/call', { name: 'create_entities', arguments: entities(`Grace ${calls}`) });
    return updates(second.text) > 0;
  });
  // The earliest is ended for one beyond the limit.
  const more = await Promise.all(Array.from({ length: 16 }, () => stream(server, session)));
  t.after(() => more.forEach(({ end }) => end()));
  await eventually('the earliest has ended', () => second.hasEnded);
  assert.ok(more.every(({ hasEnded }) => !hasEnded));
});
