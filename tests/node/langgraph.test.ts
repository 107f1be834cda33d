/** The LangGraph store, compared with the in-memory store of LangGraph's own package. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { AsyncBatchedStore, type BaseStore, InMemoryStore, type Operation } from '@langchain/langgraph-checkpoint';
import { seededRandom } from 'limbic-shell/seeded-random.ts';
import type * as LangGraph from '../../node/src/langgraph-types.ts';
import type * as Library from '../../node/src/library-types.ts';
import { leavesOf } from '../../node/src/langgraph-items.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';

const load = async <T>(name: string): Promise<T> =>
  (await import(pathToFileURL(join(PACKAGE, 'dist', name)).href)) as T;
const { open } = await load<typeof Library>('index.js');
const { LimbicStore } = await load<typeof LangGraph>('langgraph.js');

async function opened(t: TestContext, options: Library.OpenOptions = {}): Promise<Library.Memory> {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false, ...options });
  t.after(() => memory.close());
  return memory;
}

/** A result without times and order, since stores may differ in both. */
function plain(result: unknown): unknown {
  if (!Array.isArray(result)) return item(result);
  const parts = result.map((part) => (Array.isArray(part) ? part : item(part)));
  return parts.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function item(found: unknown): unknown {
  if (typeof found !== 'object' || found === null || !('key' in found)) return found ?? null;
  const { namespace, key, value } = found as { namespace: string[]; key: string; value: unknown };
  return { namespace, key, value };
}

const NAMESPACES = [
  ['users'],
  ['users', 'ines'],
  ['users', 'Ines'],
  ['users', 'ines', 'v1'],
  ['docs', 'v1'],
  ['a b/c'],
];
const KEYS = ['prefs', 'Prefs', 'prefs.', 'the prefs', 'a/b', 'ä', 'x y'];

/** Operations of every kind, the same each time. */
function operations(count: number): Operation[] {
  const next = seededRandom(11);
  const random = (below: number): number => Math.floor(next() * below);
  const one = <T>(choices: readonly T[]): T => choices[random(choices.length)] as T;
  const filters = [undefined, { kind: 'note' }, { size: { $gte: 3, $lt: 7 } }, { kind: { $ne: 'note' } }, { no: 1 }];
  const ends = ['prefix', 'suffix'] as const;
  const paths = [['users'], ['v1'], ['*', 'ines'], ['*', 'v1'], ['users', '*', 'v1'], ['a', 'b', 'c', 'd']];
  return Array.from({ length: count }, (): Operation => {
    const place = { namespace: one(NAMESPACES), key: one(KEYS) };
    switch (random(8)) {
      case 0:
        return { ...place, value: null };
      case 1:
        return place;
      case 2:
        return { namespacePrefix: one([[], ...NAMESPACES]), filter: one(filters) as object, limit: 1000 };
      case 3: {
        const condition = { matchType: one(ends), path: one(paths) };
        return { matchConditions: [condition], ...(random(2) === 0 ? { maxDepth: 1 } : {}), limit: 100, offset: 0 };
      }
      default:
        return { ...place, value: { kind: one(['note', 'task']), size: random(10), tags: ['x', { deep: null }] } };
    }
  });
}

test('operations have the results of the reference store, one by one and in batches', async (t) => {
  const memory = await opened(t);
  const given = operations(150);
  for (const size of [1, 7]) {
    const ours = new LimbicStore(memory, { domain: `batches-of-${size}` });
    const reference = new InMemoryStore();
    // The reference store lists namespaces that have become empty.
    const kept = NAMESPACES.map((namespace): Operation => ({ namespace, key: 'kept', value: { kind: 'kept' } }));
    for (const store of [ours, reference] as BaseStore[]) await store.batch(kept);
    for (let start = 0; start < given.length; start += size) {
      const batch = given.slice(start, start + size);
      const [found, expected] = [await ours.batch(batch), await reference.batch(batch)];
      assert.deepEqual(found.map(plain), expected.map(plain), JSON.stringify(batch));
    }
  }
});

test('a value comes back exactly, with the time of its creation', async (t) => {
  const store = new LimbicStore(await opened(t));
  const value = {
    text: ' spaced\n\u{1F600}\t"',
    list: [1, 2.5, 0.49319353930364085, null, [true]],
    nested: { empty: {}, none: null },
  };
  await store.put(['docs'], 'a', value);
  const first = await store.get(['docs'], 'a');
  assert.deepEqual(first?.value, value);
  await store.put(['docs'], 'a', { other: 1 });
  const second = await store.get(['docs'], 'a');
  assert.deepEqual(second?.value, { other: 1 });
  assert.deepEqual(second.createdAt, first.createdAt);
  assert.ok(second.updatedAt >= first.updatedAt);
  await store.delete(['docs'], 'a');
  assert.equal(await store.get(['docs'], 'a'), null);
  assert.deepEqual(await store.search(['docs']), []);
});

test('characters that answers escape come back as they were', async (t) => {
  const store = new LimbicStore(await opened(t));
  const value = { 'na\u200Bme': 'mark\u200F, \uFEFFbom, soft\u00ADhyphen, \u001B[1m, \rreturn, <U+200F>' };
  await store.put(['notes\u200F'], 'note\u200B', value);
  assert.deepEqual((await store.get(['notes\u200F'], 'note\u200B'))?.value, value);
  const [found] = await store.search(['notes\u200F']);
  assert.deepEqual([found?.namespace, found?.key, found?.value], [['notes\u200F'], 'note\u200B', value]);
});

test('a query returns items by their indexed texts, best first, then the others', async (t) => {
  const store = new LimbicStore(await opened(t));
  await store.put(['docs'], 'one', { title: 'Deploys run on Tuesdays', note: 'zebra' }, ['title']);
  await store.put(['docs'], 'two', { title: 'Backups are kept for a month' });
  await store.put(['docs'], 'three', { title: 'Tuesdays are for deploys, too' }, false);
  await store.put(['other'], 'four', { title: 'Deploys of others' });
  const found = await store.search(['docs'], { query: 'when do deploys run?' });
  assert.equal(found[0]?.key, 'one');
  assert.ok((found[0].score ?? 0) > 0);
  assert.deepEqual(found.map(({ key }) => key).sort(), ['one', 'three', 'two']);
  assert.equal(found.find(({ key }) => key === 'three')?.score, undefined);
  const zebra = await store.search(['docs'], { query: 'zebra' });
  assert.equal(zebra.find(({ key }) => key === 'one')?.score, undefined);
  const page = await store.search(['docs'], { query: 'when do deploys run?', limit: 1, offset: 1 });
  assert.deepEqual(
    page.map(({ key }) => key),
    [found[1]?.key],
  );
});

/** What LangGraph's own store embeds of a value. */
async function embeddedBy(value: Record<string, unknown>, path: string): Promise<string[]> {
  const texts: string[] = [];
  const embedDocuments = async (given: string[]): Promise<number[][]> => {
    texts.push(...given);
    return given.map(() => [1]);
  };
  const embeddings = { embedDocuments, embedQuery: async () => [1] };
  const store = new InMemoryStore({ index: { dims: 1, embeddings: embeddings as never } });
  await store.put(['docs'], 'k', value, [path]);
  return texts.sort();
}

/** The texts that are stored for one that LangGraph's own store embeds: fields of an object each by themselves. */
function asStored(embedded: string): string[] {
  return /^[[{]/.test(embedded) ? leavesOf(JSON.parse(embedded)) : [embedded];
}

test('the paths of an index select the texts that the reference store embeds', async (t) => {
  const memory = await opened(t);
  const store = new LimbicStore(memory);
  const value = {
    title: 'Deploys',
    size: 12,
    isDraft: false,
    none: null,
    metadata: { note: 'weekly', 'odd name': 'odd' },
    tags: ['first', 'second', 'third'],
    chapters: [{ content: 'One', pages: [1, 2] }, { content: 'Two', pages: [3] }, { other: 'no content' }],
    authors: [{ name: 'Ines' }, { name: 'Tom' }],
  };
  const paths = [
    'title',
    'size',
    'isDraft',
    'none',
    'metadata.note',
    'metadata.odd name',
    'metadata.*',
    'tags[*]',
    'tags[1]',
    'tags[-1]',
    'tags[7]',
    'tags[x]',
    'chapters[*].content',
    'chapters[*].pages[0]',
    'chapters[*].pages[*]',
    'authors[0].name',
    '{title,metadata.note}',
    'absent.deep',
    'title.deep',
    'metadata[0]',
    '$',
    '$.title',
    '$[0]',
    '{chapters}.x',
    '{title,tags[*]}',
    'chapters[*].{content,other}',
  ];
  for (const path of paths) {
    await store.put(['docs'], 'k', value, [path]);
    const { memories } = await memory.memory_list({ domain: 'langgraph' });
    const [, ...texts] = memories[0]?.content.split('\n') ?? [];
    assert.deepEqual(texts.sort(), (await embeddedBy(value, path)).flatMap(asStored).sort(), path);
  }
});

test('a query also ranks the items of a memory of one user, which shows no scores', async (t) => {
  const store = new LimbicStore(await opened(t, { user: 'ines' }));
  for (const likes of ['green tea', 'black coffee', 'cold water']) await store.put(['drinks'], likes, { likes });
  const found = await store.search(['drinks'], { query: 'green tea', limit: 1 });
  assert.deepEqual(
    found.map(({ value }) => value),
    [{ likes: 'green tea' }],
  );
});

test('items and namespaces are paged without gaps', async (t) => {
  const store = new LimbicStore(await opened(t));
  for (let index = 0; index < 7; index++) await store.put(['n', `part${index}`], `key${index}`, { index });
  const pages = [0, 3, 6].map((offset) => store.search(['n'], { limit: 3, offset }));
  const keys = (await Promise.all(pages)).flat().map(({ key }) => key);
  assert.deepEqual(
    keys.toSorted(),
    [0, 1, 2, 3, 4, 5, 6].map((index) => `key${index}`),
  );
  assert.deepEqual(await store.listNamespaces({ prefix: ['n'], limit: 2, offset: 5 }), [
    ['n', 'part5'],
    ['n', 'part6'],
  ]);
  assert.deepEqual(await store.listNamespaces({ suffix: ['part3'] }), [['n', 'part3']]);
  assert.deepEqual(await store.listNamespaces({ maxDepth: 1 }), [['n']]);
});

test('invalid namespaces are refused as LangGraph refuses them, and long ones and keys with the limit', async (t) => {
  const store: BaseStore = new LimbicStore(await opened(t));
  const reference: BaseStore = new InMemoryStore();
  for (const namespace of [[], ['a.b'], ['a:b'], [''], ['langgraph']]) {
    const expected = await reference.put(namespace, 'k', { v: 1 }).catch((error: Error) => error.message);
    await assert.rejects(store.put(namespace, 'k', { v: 1 }), { message: expected }, namespace.join('|'));
  }
  await assert.rejects(store.put(['x'.repeat(600)], 'k', { v: 1 }), /too long/);
  await assert.rejects(store.put(['a'], 'k'.repeat(1001), { v: 1 }), /at most 1000/);
  await assert.rejects(store.put(['a'], 'k', { text: 'x'.repeat(200_000) }), /metadata must have at most/);
  assert.deepEqual(await store.listNamespaces(), []);
});

test('concurrent writers, users and processes lose no write', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const [first, second] = [await opened(t, { db }), await opened(t, { db })];
  const stores = [new LimbicStore(first), new LimbicStore(second), new LimbicStore(first, { userId: 'ines' })];
  await Promise.all(stores.map((store, index) => store.put(['shared'], `key${index}`, { index })));
  await Promise.all(stores.map((store, index) => store.put(['shared'], 'same', { index })));
  const found = await new LimbicStore(second, { userId: 'ines' }).search(['shared']);
  assert.deepEqual(found.map(({ key, value }) => [key, value['index']]).sort(), [
    ['key2', 2],
    ['same', 2],
  ]);
  assert.ok((await new LimbicStore(second).get(['shared'], 'key0')) !== null);
});

test('an item that another process has just stored with the same value is stored', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const [first, second] = [await opened(t, { db }), await opened(t, { db })];
  let others = 1;
  const store = new LimbicStore({
    ...first,
    call: async (tool, input, options) => {
      const answer = await first.call(tool, input, options);
      if (tool === 'memory_get' && others-- > 0) await new LimbicStore(second).put(['a'], 'k', { x: 'same' });
      return answer;
    },
  });
  await store.put(['a'], 'k', { x: 'same' });
  assert.deepEqual((await store.get(['a'], 'k'))?.value, { x: 'same' });
  assert.equal((await store.search(['a'])).length, 1);
});

test('memories of several users on one file have the same items, each its own', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const [all, ada, ben] = [
    await opened(t, { db }),
    await opened(t, { db, user: 'ada' }),
    await opened(t, { db, user: 'ben' }),
  ];
  // As versions before stored it.
  await new LimbicStore({ call: (tool, input, options) => ada.call(tool, input, options) }).put(['prefs'], 'old', {
    n: 0,
  });
  const stores = [ada, ben, all].map((memory) => new LimbicStore(memory));
  for (const [index, store] of stores.entries()) {
    await store.put(['prefs'], 'k', { n: index });
    await store.put(['prefs'], 'k', { n: index + 10 });
  }
  for (const [index, store] of stores.entries()) {
    assert.deepEqual((await store.get(['prefs'], 'k'))?.value, { n: index + 10 });
    const found = await store.search(['prefs']);
    assert.deepEqual(found.map(({ key }) => key).sort(), index === 0 ? ['k', 'old'] : ['k']);
  }
  assert.deepEqual((await new LimbicStore(all, { userId: 'ben' }).get(['prefs'], 'k'))?.value, { n: 11 });
  const [store] = stores;
  await store?.put(['prefs'], 'old', { n: 5 });
  await store?.delete(['prefs'], 'k');
  assert.deepEqual(
    (await store?.search(['prefs']))?.map(({ value }) => value),
    [{ n: 5 }],
  );
  assert.equal((await stores[1]?.get(['prefs'], 'k'))?.value['n'], 11);
});

test('a name with personal data is refused where that is removed', async (t) => {
  const store = new LimbicStore(await opened(t, { redact: 'pii' }));
  await assert.rejects(store.put(['users'], 'ada@acme.dev', { n: 1 }), /personal data/);
  await store.put(['users'], 'ada', { mail: 'ada@acme.dev' });
  assert.deepEqual(
    (await store.search([])).map(({ key, value }) => [key, value]),
    [['ada', { mail: '[e-mail]' }]],
  );
});

test('graphs use it through the store that batches their calls', async (t) => {
  const memory = await opened(t);
  const store = new AsyncBatchedStore(new LimbicStore(memory));
  store.start();
  t.after(() => store.stop());
  await Promise.all([store.put(['users', 'ines'], 'tea', { likes: 'tea' }), store.put(['users'], 'n', { count: 1 })]);
  assert.deepEqual((await store.get(['users', 'ines'], 'tea'))?.value, { likes: 'tea' });
  assert.equal((await store.search(['users'])).length, 2);
  const { memories } = await memory.memory_recall({ query: 'who likes tea?', domain: 'langgraph' });
  assert.match(JSON.stringify(memories), /likes: tea/);
});

test('items with equal text stay separate, and maintenance keeps them', async (t) => {
  const memory = await opened(t);
  const store = new LimbicStore(memory);
  const keys = ['x', 'x.', 'X', 'two', '2', 'the two', 'y'.repeat(1000), `${'y'.repeat(999)}z`];
  for (const key of keys) await store.put(['n'], key, { says: 'the same' });
  const found = await store.search(['n'], { query: 'what says the same?', limit: 100 });
  assert.deepEqual(found.map(({ key }) => key).sort(), keys.toSorted());
  const listed = await memory.memory_list({ domain: 'langgraph', limit: 100, max_tokens: 1_000_000 });
  const memories = listed.memories as readonly { pinned?: boolean; tier?: string }[];
  assert.deepEqual(new Set(memories.map(({ pinned, tier }) => `${pinned} ${tier}`)), new Set(['true l4']));
});

test('an item that another process deletes meanwhile is stored again', async (t) => {
  const memory = await opened(t);
  const store = new LimbicStore(memory);
  await store.put(['n'], 'k', { count: 1 });
  const racing = {
    call: async (tool: string, input: unknown): Promise<unknown> => {
      if (tool === 'memory_update') await store.delete(['n'], 'k');
      return memory.call(tool as 'memory_update', input as never);
    },
  };
  await new LimbicStore(racing).put(['n'], 'k', { count: 2 });
  assert.deepEqual((await store.get(['n'], 'k'))?.value, { count: 2 });
});

test('an option that does not exist is refused', async (t) => {
  const memory = await opened(t);
  assert.throws(() => new LimbicStore(memory, { userid: 'ines' } as object), {
    name: 'LimbicError',
    message: 'LimbicStore has no option "userid"',
    hint: 'Did you mean userId?',
  });
});
