/** The handler for Anthropic's memory tool, compared with the handler of Anthropic's own package. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { anthropic } from '@ai-sdk/anthropic';
import { BetaLocalFilesystemMemoryTool, betaMemoryTool } from '@anthropic-ai/sdk/tools/memory/node';
import type * as Library from '../../node/src/library-types.ts';
import type * as Tool from '../../node/src/memory-tool-types.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';

const load = async <T>(name: string): Promise<T> =>
  (await import(pathToFileURL(join(PACKAGE, 'dist', name)).href)) as T;
const { open } = await load<typeof Library>('index.js');
const { memoryTool, memoryToolExecutor } = await load<typeof Tool>('memory-tool.js');

type Handlers = Tool.MemoryToolHandlers;
type Command = { [Name in keyof Handlers]: [Name, Parameters<Handlers[Name]>[0]] }[keyof Handlers];

/** Valid and invalid commands. */
const COMMANDS: readonly Command[] = [
  ['view', { path: '/memories' }],
  ['view', { path: '/memories/notes.txt' }],
  ['create', { path: '/memories/notes.txt', file_text: 'first\nsecond\nthird\nfourth\nfifth\nsixth\n' }],
  ['create', { path: '/memories/notes.txt', file_text: 'again' }],
  ['create', { path: '/memories/copy.txt', file_text: 'first\nsecond\nthird\nfourth\nfifth\nsixth\n' }],
  ['create', { path: '/memories/empty.txt', file_text: '' }],
  ['create', { path: '/memories/.hidden', file_text: 'no list shows it' }],
  ['create', { path: '/memories/projects/atlas/plan.md', file_text: '# Plan\n\n  indented \u{1F600}\t\n' }],
  ['view', { path: '/memories/notes.txt' }],
  ['view', { path: '/memories/empty.txt' }],
  ['view', { path: '/memories/projects/atlas/plan.md' }],
  ['view', { path: '/memories/notes.txt', view_range: [2, 3] }],
  ['view', { path: '/memories/notes.txt', view_range: [5, -1] }],
  ['view', { path: '/memories/notes.txt', view_range: [0, 99] }],
  ['str_replace', { path: '/memories/notes.txt', old_str: 'third', new_str: 'changed $& here' }],
  ['str_replace', { path: '/memories/notes.txt', old_str: 'nowhere', new_str: 'x' }],
  ['str_replace', { path: '/memories/notes.txt', old_str: 'h', new_str: 'x' }],
  ['str_replace', { path: '/memories/absent.txt', old_str: 'a', new_str: 'b' }],
  ['str_replace', { path: '/memories/projects', old_str: 'a', new_str: 'b' }],
  ['insert', { path: '/memories/notes.txt', insert_line: 0, insert_text: 'at the top\n' }],
  ['insert', { path: '/memories/notes.txt', insert_line: 3, insert_text: 'between' }],
  ['insert', { path: '/memories/notes.txt', insert_line: 99, insert_text: 'nowhere' }],
  ['insert', { path: '/memories/notes.txt', insert_line: -1, insert_text: 'nowhere' }],
  ['insert', { path: '/memories/absent.txt', insert_line: 0, insert_text: 'nowhere' }],
  ['view', { path: '/memories/notes.txt' }],
  ['rename', { old_path: '/memories/notes.txt', new_path: '/memories/copy.txt' }],
  ['rename', { old_path: '/memories/absent.txt', new_path: '/memories/b.txt' }],
  ['rename', { old_path: '/memories/notes.txt', new_path: '/memories/archive/notes.txt' }],
  ['rename', { old_path: '/memories/projects', new_path: '/memories/archive/projects' }],
  ['rename', { old_path: '/memories', new_path: '/memories/all' }],
  ['view', { path: '/memories' }],
  ['view', { path: '/memories/archive/projects/atlas/plan.md' }],
  ['delete', { path: '/memories/absent.txt' }],
  ['delete', { path: '/memories' }],
  ['delete', { path: '/memories/archive/projects' }],
  ['delete', { path: '/memories/copy.txt' }],
  ['view', { path: '/memories' }],
];

async function answerOf(handlers: Handlers, [name, command]: Command): Promise<string> {
  try {
    return await (handlers[name] as (command: unknown) => Promise<string>)(command);
  } catch (error) {
    return `error: ${(error as Error).message}`;
  }
}

/** Removes the sizes of folders: the package reports the file system's, Limbic the sum of the files. */
function withoutFolderSizes(text: string): string {
  return text.replace(/^\S+\t(\/memories(?:\/.*\/)?)$/gm, 'size\t$1');
}

test('every command answers as the handler of the package does', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  const ours = memoryTool(memory);
  const theirs = (await BetaLocalFilesystemMemoryTool.init(temporaryFolder())) as unknown as Handlers;
  for (const command of COMMANDS) {
    const [found, expected] = [await answerOf(ours, command), await answerOf(theirs, command)];
    assert.equal(withoutFolderSizes(found), withoutFolderSizes(expected), JSON.stringify(command));
  }
});

/** Commands for which the handler of the package edits the wrong text or none, or keeps what has no file. */
const DIFFERENT: readonly Command[] = [
  ['str_replace', { path: '/memories/a/b', old_str: 'one\ntwo', new_str: '1\n2' }],
  ['str_replace', { path: '/memories/a/b', old_str: 'twin', new_str: 'x' }],
  ['delete', { path: '/memories/a/b' }],
  ['view', { path: '/memories/a' }],
];

test('an edit may span lines and is never ambiguous, and a folder without files is none', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  const ours = memoryTool(memory);
  const theirs = (await BetaLocalFilesystemMemoryTool.init(temporaryFolder())) as unknown as Handlers;
  const file = { path: '/memories/a/b', file_text: 'one\ntwo\ntwin twin' };
  for (const handlers of [ours, theirs]) await handlers.create(file);
  const answers: string[] = [];
  for (const command of DIFFERENT) {
    const [found, other] = [await answerOf(ours, command), await answerOf(theirs, command)];
    if (command[0] !== 'delete') assert.notEqual(withoutFolderSizes(found), withoutFolderSizes(other));
    answers.push(found);
  }
  const edited = 'The memory file has been edited. Here is the snippet showing the change (with line numbers):';
  assert.deepEqual(answers, [
    `${edited}\n     1\t1\n     2\t2\n     3\ttwin twin`,
    'error: No replacement was performed. Multiple occurrences of old_str `twin` in lines: 3. Please ensure it is unique',
    'Successfully deleted /memories/a/b',
    'error: The path /memories/a does not exist. Please provide a valid path.',
  ]);
});

test('the package accepts the handler, and no path leaves the folder', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  const handlers = memoryTool(memory);
  const tool = betaMemoryTool(handlers);
  assert.equal(
    await tool.run({ command: 'create', path: '/memories/a', file_text: 'x' }),
    'File created successfully at: /memories/a',
  );
  for (const path of ['/etc/passwd', '/memories/../etc', '/memoriesx', 'memories/a', '/memories/a/../../b', '']) {
    const commands: readonly Command[] = [
      ['view', { path }],
      ['create', { path, file_text: 'x' }],
      ['delete', { path }],
    ];
    for (const command of commands) {
      assert.match(await answerOf(handlers, command), /^error: Path .*(must start with|would escape)/);
    }
  }
});

/** What models get wrong: parameters that are missing or of another type. */
const MALFORMED: readonly (readonly [keyof Handlers | 'toString', object, string])[] = [
  ['create', { path: '/memories/b' }, 'file_text'],
  ['create', { path: '/memories/b', file_text: null }, 'file_text'],
  ['create', { path: '/memories/b', file_text: 5 }, 'file_text'],
  ['create', { file_text: 'x' }, 'path'],
  ['view', {}, 'path'],
  ['view', { path: '/memories/a', view_range: 'x' }, 'view_range'],
  ['view', { path: '/memories/a', view_range: [] }, 'view_range'],
  ['view', { path: '/memories/a', view_range: [2] }, 'view_range'],
  ['view', { path: '/memories/a', view_range: [1, 2, 3] }, 'view_range'],
  ['view', { path: '/memories/a', view_range: ['1', 2] }, 'view_range'],
  ['view', { path: '/memories/a', view_range: [1.5, 2] }, 'view_range'],
  ['str_replace', { path: '/memories/a', new_str: 'x' }, 'old_str'],
  ['str_replace', { path: '/memories/a', old_str: 'undefined', new_str: 5 }, 'new_str'],
  ['insert', { path: '/memories/a', insert_text: 'x' }, 'insert_line'],
  ['insert', { path: '/memories/a', insert_line: 0.5, insert_text: 'x' }, 'insert_line'],
  ['insert', { path: '/memories/a', insert_line: 0 }, 'insert_text'],
  ['delete', {}, 'path'],
  ['rename', { old_path: '/memories/a' }, 'new_path'],
  ['rename', { new_path: '/memories/b' }, 'old_path'],
  ['toString', {}, 'toString'],
];

test('a command without a parameter, or with one of another type, fails and changes nothing', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  const run = memoryToolExecutor(memory);
  await run({ command: 'create', path: '/memories/a', file_text: 'undefined\nnull\n' });
  const view = { command: 'view', path: '/memories/a' } as const;
  const before = await run(view);
  for (const [command, input, parameter] of MALFORMED) {
    const answer = await run({ command, ...input } as Tool.MemoryToolCommand);
    assert.ok(answer.startsWith('Error: ') && answer.includes(parameter), JSON.stringify([command, input, answer]));
  }
  assert.equal(await run(view), before);
  assert.equal(await run({ ...view, view_range: null } as unknown as Tool.MemoryToolCommand), before);
  assert.equal((await memory.memory_list({ domain: 'memory-tool' })).total, 1);
});

test("the Vercel AI SDK's tool runs every command, and failures are answers", async (t) => {
  const [memory, other] = await Promise.all(
    [0, 1].map(() => open({ db: join(temporaryFolder(), 'memory.db'), model: false })),
  );
  assert.ok(memory && other);
  t.after(() => Promise.all([memory.close(), other.close()]));
  const { execute } = anthropic.tools.memory_20250818({ execute: memoryToolExecutor(memory) });
  assert.ok(execute);
  const handlers = memoryTool(other);
  for (const [command, input] of COMMANDS) {
    const answer: unknown = await execute({ command, ...input } as Parameters<typeof execute>[0], {
      toolCallId: 'call',
      messages: [],
    });
    const expected = await answerOf(handlers, [command, input] as Command);
    assert.equal(answer, expected.replace(/^error: /, 'Error: '), JSON.stringify([command, input]));
  }
});

test('a file keeps every character, also after edits of others', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  const handlers = memoryTool(memory);
  const text = 'zero\u200Bwidth, mark\u200F, \uFEFFbom, soft\u00ADhyphen, \u001B[1m, \rreturn, <U+200F>\nsecond\n';
  const path = '/memories/hidden\u200B.txt';
  await handlers.create({ path, file_text: text });
  await handlers.str_replace({ path, old_str: 'mark\u200F', new_str: 'word\u200F' });
  await handlers.insert({ path, insert_line: 2, insert_text: 'third' });
  await handlers.rename({ old_path: path, new_path: '/memories/moved\u200B.txt' });
  const [file] = (await memory.memory_list({ domain: 'memory-tool' }, { asStored: true })).memories;
  const expected = `${text.replace('mark\u200F', 'word\u200F')}third\n`;
  assert.deepEqual(file?.metadata, { path: '/memories/moved\u200B.txt', text: expected });
  assert.ok((await handlers.view({ path: '/memories/moved\u200B.txt' })).includes('word\u200F, \uFEFFbom'));
  const [shown] = (await memory.memory_list({ domain: 'memory-tool' })).memories;
  assert.match(JSON.stringify(shown), /word<U\+200F>/);
});

test('a file is a memory: it is recalled, keeps its history, and belongs to its user', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  const ada = memoryTool(memory, { userId: 'ada' });
  await ada.create({ path: '/memories/deploys.md', file_text: 'Deploys run on Tuesdays' });
  await ada.str_replace({ path: '/memories/deploys.md', old_str: 'Tuesdays', new_str: 'Wednesdays' });
  const { memories } = await memory.memory_recall({ query: 'when do deploys run?', domain: 'memory-tool' });
  const history = JSON.stringify(await memory.memory_get({ ids: memories.map(({ id }) => id) }));
  assert.match(history, /Tuesdays/);
  assert.match(history, /Wednesdays/);
  assert.doesNotMatch(await memoryTool(memory, { userId: 'bob' }).view({ path: '/memories' }), /deploys/);
});

test('maintenance keeps files, also those of earlier versions once they are edited', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  const handlers = memoryTool(memory);
  const path = '/memories/old';
  await memory.create_domain({ id: 'memory-tool' });
  await memory.memory_store({ content: `${path}\nx`, path, metadata: { path, text: 'x' }, domain: 'memory-tool' });
  await handlers.create({ path: '/memories/new', file_text: 'y' });
  await handlers.insert({ path, insert_line: 0, insert_text: 'z' });
  const { memories } = await memory.memory_list({ domain: 'memory-tool' });
  assert.deepEqual(
    memories.map(({ pinned, tier }) => [pinned, tier]),
    [
      [true, 'l4'],
      [true, 'l4'],
    ],
  );
});

test('concurrent commands are executed one after the other', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  const handlers = memoryTool(memory);
  await handlers.create({ path: '/memories/list', file_text: '' });
  await Promise.all(
    Array.from({ length: 20 }, (_, line) =>
      handlers.insert({ path: '/memories/list', insert_line: 0, insert_text: `line ${line}` }),
    ),
  );
  assert.equal((await handlers.view({ path: '/memories/list' })).match(/line \d+/g)?.length, 20);
});

test('a handler without a user neither shows nor changes the files of users', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const [memory, ben] = [await open({ db, model: false }), await open({ db, model: false, user: 'ben' })];
  t.after(() => Promise.all([memory.close(), ben.close()]));
  const path = '/memories/plan';
  const handlers = [memoryTool(memory, { userId: 'ada' }), memoryTool(ben), memoryTool(memory)];
  for (const [index, one] of handlers.entries()) await one.create({ path, file_text: `of ${index}` });
  await handlers[2]?.str_replace({ path, old_str: 'of 2', new_str: 'changed' });
  await handlers[2]?.delete({ path });
  for (const index of [0, 1]) assert.match((await handlers[index]?.view({ path })) ?? '', new RegExp(`of ${index}`));
  assert.doesNotMatch((await handlers[2]?.view({ path: '/memories' })) ?? '', /plan/);
  assert.match(await memoryTool(memory, { userId: 'ben' }).view({ path }), /of 1/);
});

test('a folder is renamed as a whole or not at all', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  let refused = '';
  let back = '';
  const handlers = memoryTool({
    ...memory,
    call: (tool, input, options) => {
      const { path } = input as { path?: string };
      if (tool === 'memory_update' && path === refused) return Promise.reject(new Error('refused'));
      if (tool === 'memory_update' && path === back) return Promise.reject(new Error('the disk is full'));
      return memory.call(tool, input, options);
    },
  });
  const long = 'x'.repeat(400);
  for (const name of ['a', 'b', long]) await handlers.create({ path: `/memories/d/${name}`, file_text: name });
  const before = await handlers.view({ path: '/memories' });
  const rename = (new_path: string): Promise<string> => handlers.rename({ old_path: '/memories/d', new_path });
  await assert.rejects(rename(`/memories/${'y'.repeat(100)}`), /has 511 characters, and 500 are allowed/);
  assert.equal(await handlers.view({ path: '/memories' }), before);
  refused = '/memories/e/b';
  await assert.rejects(rename('/memories/e'), /refused/);
  assert.equal(await handlers.view({ path: '/memories' }), before);
  back = '/memories/d/a';
  await assert.rejects(rename('/memories/e'), /^Error: refused \(could not be moved back: \/memories\/e\/a\)$/);
  back = '';
  await handlers.rename({ old_path: '/memories/e/a', new_path: '/memories/d/a' });
  assert.equal(await handlers.view({ path: '/memories' }), before);
  refused = '';
  await rename('/memories/e');
  assert.match(await handlers.view({ path: '/memories/e/b' }), /\tb$/);
  await assert.rejects(handlers.create({ path: `/memories/${long}/${long}`, file_text: '' }), /500 are allowed/);
});

test('a file that is too large is refused by its size, and an edit that makes it so changes nothing', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  const handlers = memoryTool(memory);
  const path = '/memories/log.md';
  // As JSON, a line break has two bytes.
  await assert.rejects(handlers.create({ path, file_text: 'line\n'.repeat(18_000) }), {
    message:
      'File /memories/log.md is too large: it would have 108037 bytes as JSON, and 102400 are allowed. Use several files',
  });
  assert.doesNotMatch(await handlers.view({ path: '/memories' }), /log/);
  await handlers.create({ path, file_text: 'line\n'.repeat(17_000) });
  const edit = { path, insert_line: 0, insert_text: 'x'.repeat(1000) };
  await assert.rejects(handlers.insert(edit), /^Error: File \/memories\/log.md is too large/);
  assert.equal((await handlers.view({ path })).split('\n').length, 17_002);
});

test('a memory with the text of a new file, but without a path, becomes the file', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  const handlers = memoryTool(memory);
  await handlers.create({ path: '/memories/a', file_text: 'a' });
  await memory.memory_store({ content: '/memories/b\nb', domain: 'memory-tool' });
  await handlers.create({ path: '/memories/b', file_text: 'b' });
  assert.match(await handlers.view({ path: '/memories/b' }), /\tb$/);
  assert.equal((await memory.memory_list({ domain: 'memory-tool' })).total, 2);
});

test('a path with personal data is refused where that is removed', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false, redact: 'pii' });
  t.after(() => memory.close());
  const handlers = memoryTool(memory);
  const path = '/memories/ada@acme.dev.md';
  await assert.rejects(handlers.create({ path, file_text: 'x' }), /ada@acme.dev.md holds personal data/);
  await handlers.create({ path: '/memories/ada.md', file_text: 'ada@acme.dev' });
  await assert.rejects(handlers.rename({ old_path: '/memories/ada.md', new_path: path }), /holds personal data/);
  assert.match(await handlers.view({ path: '/memories/ada.md' }), /\[e-mail\]/);
  assert.equal((await memory.memory_list({ domain: 'memory-tool' })).total, 1);
});

test('handlers of one memory, and processes on one file, store no path twice and lose no edit', async (t) => {
  const db = join(temporaryFolder(), 'memory.db');
  const [memory, other] = [await open({ db, model: false }), await open({ db, model: false })];
  t.after(() => Promise.all([memory.close(), other.close()]));
  const fresh = (): Handlers => memoryTool(memory);
  const path = '/memories/list';
  const created = await Promise.allSettled([
    ...[memoryTool(other), fresh(), fresh()].map((handlers, index) => handlers.create({ path, file_text: `${index}` })),
    ...[memoryTool(other), fresh()].map((handlers) => handlers.create({ path: '/memories/same', file_text: 'x' })),
  ]);
  const refused = created.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  assert.deepEqual(refused.sort(), [
    'Error: File /memories/list already exists',
    'Error: File /memories/list already exists',
    'Error: File /memories/same already exists',
  ]);
  assert.equal((await memory.memory_list({ domain: 'memory-tool' })).total, 2);
  await Promise.all(
    Array.from({ length: 20 }, (_, line) => fresh().insert({ path, insert_line: 0, insert_text: `line ${line}` })),
  );
  assert.equal((await fresh().view({ path })).match(/line \d+/g)?.length, 20);
  // The path of a file that was renamed is free.
  for (const round of [1, 2]) {
    await fresh().rename({ old_path: path, new_path: `/memories/old${round}` });
    await fresh().create({ path, file_text: `${round}` });
  }
  assert.match(await memoryTool(other).view({ path }), /\t2$/);
});

test('an option that does not exist is refused', async (t) => {
  const memory = await open({ db: join(temporaryFolder(), 'memory.db'), model: false });
  t.after(() => memory.close());
  for (const create of [memoryTool, memoryToolExecutor]) {
    assert.throws(() => create(memory, { userID: 'ines' } as object), {
      name: 'LimbicError',
      message: 'memoryTool has no option "userID"',
      hint: 'Did you mean userId?',
    });
  }
});
