/** Calls during which another message closes the database, on cores that only answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Core } from 'limbic-pkg/core/limbic_core.js';
import { EmbeddingWorker } from 'limbic-shell/embedding-worker.ts';
import type { EncoderLink } from 'limbic-shell/encoder-link.ts';
import { runCall, type ToolCall } from '../../node/src/core/run-call.ts';

/** A database whose core is unusable after it was closed, as that of the module is. */
class ClosingDatabase {
  opened = 0;
  #close: () => void = () => {};

  open(): Core {
    const number = ++this.opened;
    let isOpen = true;
    this.#close = () => (isOpen = false);
    const used = <T>(value: T): T => {
      // Not an error of the core: the call would count as a trap.
      if (!isOpen) throw new Error('null pointer passed to rust');
      return value;
    };
    const entered = new Set<string>();
    const core = {
      introduce: (session: string) => used(entered.add(session)),
      waits: () => used(false),
      file_argument: () => used(undefined),
      reads_code: () => used(true),
      pending: () => used(new Uint8Array(number < 4 ? 1 : 0)),
      store_vectors: () => used(10 - number),
      call: (tool: string, _args: string, _encodings: Uint8Array, session: string) => {
        assert.ok(entered.has(session), 'the call is run in its session');
        return used({ isError: false, takeText: () => `${tool} by core ${number}`, free: () => {} });
      },
    };
    this.#current = core as unknown as Core;
    return this.#current;
  }

  #current: Core | undefined;

  close(): void {
    this.#close();
    this.#current = undefined;
  }

  /** The open core; opens it if it is closed. */
  openOrCurrent(): Core {
    return this.#current ?? this.open();
  }
}

const CALL = {
  id: 1,
  tool: 'search_code',
  args: '{}',
  access: undefined,
  session: { id: 'one', isStateless: false },
  caller: { kind: 'mcp', client: 'test', project: '', folder: '' },
  confirmation: undefined,
} as unknown as ToolCall;

for (const closed of ['while its texts are encoded', 'while changes are reported'] as const) {
  test(`a call is answered although the database is closed ${closed}`, async () => {
    const database = new ClosingDatabase();
    const context = {
      database: { open: () => database.openOrCurrent() },
      settings: {},
      link: {
        encodingsFor: async () => {
          if (closed === 'while its texts are encoded') database.close();
          return new Uint8Array(0);
        },
      },
      sourceWatch: {
        reportBefore: async (open: () => Core) => {
          open().reads_code('search_code', '{}');
          if (closed === 'while changes are reported') database.close();
        },
      },
      isCancelled: () => false,
    };
    const answer = await runCall(context as unknown as Parameters<typeof runCall>[0], CALL);
    assert.deepEqual(answer, { isError: false, text: 'search_code by core 2' });
  });
}

test('a call that was cancelled while its texts were encoded is not run', async () => {
  const database = new ClosingDatabase();
  let isCancelled = false;
  const context = {
    database: { open: () => database.openOrCurrent() },
    settings: {},
    link: {
      encodingsFor: async () => {
        isCancelled = true;
        return new Uint8Array(0);
      },
    },
    sourceWatch: { reportBefore: async () => {} },
    isCancelled: (id: number) => isCancelled && id === CALL.id,
  };
  const answer = await runCall(context as unknown as Parameters<typeof runCall>[0], CALL);
  assert.deepEqual(answer, { isError: true, text: '{}' });
});

test('the queue is processed although the database is closed while texts are encoded', async () => {
  const database = new ClosingDatabase();
  const link = {
    name: 'encoder',
    whenLoadingEnded: async () => {},
    encode: async () => {
      database.close();
      return { encodings: new Uint8Array(0), encoder: 'encoder' };
    },
  } as unknown as EncoderLink;
  const worker = new EmbeddingWorker(link, {
    idleCore: () => undefined,
    whenIdle: async () => {},
    rest: async () => {},
    turnOfLoop: async () => {},
    trapped: (error) => assert.fail(String(error)),
    waits: ({ error }) => assert.fail(error),
    left: () => {},
  });
  await worker.drain(() => database.openOrCurrent());
  assert.equal(database.opened, 4);
});
