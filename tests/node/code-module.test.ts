import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CodeModule } from 'limbic-shell/code-module.ts';
import { CodeHost } from '../../node/src/core/code-host.ts';
import { PACKAGE, temporaryFolder } from './support/places.ts';
import { run } from './support/run.ts';

// The bundled tests run from tests/out/node.
const root = new URL('../../../', import.meta.url);
const module = readFileSync(new URL('pkg/code/limbic_code.wasm', root));

const expected = facts('facts.json');
const expectedMore = facts('facts-more.json');

function facts(name: string): Record<string, { bytes: number; sha256: string }> {
  return JSON.parse(readFileSync(new URL(`tests/expected/code/${name}`, root), 'utf8'));
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const fixture = (path: string) => readFileSync(new URL(`tests/files/code/${path}`, root));

// The module is instantiated without imports.
test('the facts of every fixture have the bytes of the native build', async () => {
  const code = await CodeModule.load(module);
  const more = await CodeModule.load(readFileSync(new URL('pkg/code-more/limbic_code_more.wasm', root)));
  assert.equal(more.factsVersion, code.factsVersion);
  assert.throws(() => more.clearRules(), 'only the first module has ignore rules');
  for (const [path, { bytes, sha256: hash }] of Object.entries({ ...expected, ...expectedMore })) {
    const needsMore = code.needsMore(path, fixture(path));
    assert.equal(needsMore, path in expectedMore, path);
    const facts = (needsMore ? more : code).extract(path, fixture(path));
    assert.deepEqual({ path, bytes: facts.length, hash: sha256(facts) }, { path, bytes, hash });
  }
});

test('files that take the parser too much are divided into lines in little memory', async () => {
  const code = await CodeModule.load(module);
  for (const [path, text] of [
    ['a.c', '(a)=>\n'.repeat(2000)],
    ['A.java', 'A<\n'.repeat(10_000)],
  ] as const) {
    assert.ok(code.extract(path, Buffer.from(text)).length < 2 * text.length, path);
    assert.ok(code.memoryBytes < 50_000_000, `${path}: ${code.memoryBytes} bytes`);
  }
});

test('a file that traps the parser fails, and the next one has another instance', (t) => {
  const load = t.mock.method(CodeModule, 'instantiate');
  const missing = join(temporaryFolder(), 'missing');
  const host = new CodeHost({ wasm: join(PACKAGE, 'dist', 'limbic_code.wasm'), wasmMore: missing }, missing);
  const succeeds = (): void =>
    assert.equal(sha256(host.extract('shapes.rs', fixture('shapes.rs'))), expected['shapes.rs']?.sha256);
  succeeds();
  // No memory has room for it.
  const endless = { length: 2 ** 32 - 16 } as unknown as Uint8Array;
  assert.throws(() => host.extract('endless.rs', endless), { message: 'the parser failed' });
  succeeds();
  assert.equal(load.mock.callCount(), 2);
});

test('the second module is loaded at the first file that needs it', () => {
  const wasm = join(PACKAGE, 'dist', 'limbic_code.wasm');
  const missing = join(temporaryFolder(), 'missing');
  const without = new CodeHost({ wasm, wasmMore: missing }, missing);
  for (const [path, { bytes }] of Object.entries(expected)) {
    assert.equal(without.extract(path, fixture(path)).length, bytes, path);
  }
  without.addRules('', '.gitignore', new TextEncoder().encode('build/\n'));
  assert.throws(() => without.extract('library.rb', fixture('library.rb')), /the parser cannot be loaded/);
  assert.equal(sha256(without.extract('shapes.rs', fixture('shapes.rs'))), expected['shapes.rs']?.sha256, 'it goes on');
  assert.equal(without.subwords(), undefined, 'there may be no table');
  const table = join(PACKAGE, 'dist', 'model', 'subwords.bin');
  const both = new CodeHost({ wasm, wasmMore: join(PACKAGE, 'dist', 'limbic_code_more.wasm') }, table);
  assert.ok(readFileSync(table).equals(both.subwords() ?? new Uint8Array()));
  for (const [path, { sha256: hash }] of Object.entries(expectedMore)) {
    assert.equal(sha256(both.extract(path, fixture(path))), hash, path);
    both.rest();
  }
});

test('an instance reads bad input, and the next file as if it were the first', async () => {
  const code = await CodeModule.load(module);
  const text = (content: string) => new TextEncoder().encode(content);
  const deep = (open: string, close: string) => `${`${open}\n`.repeat(20_000)}${close.repeat(20_000)}`;
  const before = sha256(code.extract('shapes.rs', fixture('shapes.rs')));
  code.extract('empty.py', new Uint8Array());
  code.extract('', new Uint8Array([0xff, 0, 0xfe]));
  code.extract('a\nb.rs', text('fn f() {}'));
  code.extract('long.js', text('x'.repeat(1_000_000)));
  code.extract('large.c', new Uint8Array(3_000_000));
  code.extract('deep.py', text(`x = ${deep('(', ')')}\n`));
  code.extract('deep.rs', text(`fn f() { ${deep('{', '}')} }`));
  code.extract('deep.ts', text(`type T = ${deep('Array<', '>')};`));
  code.extract('deep.js', text(`x = ${deep('[', ']')};`));
  code.extract('Deep.java', text(`class A { int x = ${deep('(', ')')}; }`));
  code.extract('deep.go', text(`package a\nfunc f() ${deep('{', '}')}`));
  code.extract('deep.c', text(`int x = ${deep('(', ')')};`));
  assert.equal(sha256(code.extract('shapes.rs', fixture('shapes.rs'))), before);
});

test('ignore files exclude paths by the rules of the innermost folder', () => {
  const code = CodeModule.instantiate(CodeModule.compile(module));
  const text = (content: string) => new TextEncoder().encode(content);
  code.addRules('', '.gitignore', text('build/\n*.tmp\n'));
  code.addRules('a', '.gitignore', text('!keep.tmp\n'));
  const paths = ['build/', 'build', 'x.tmp', 'a/keep.tmp', 'a/x.tmp'];
  const decide = () => [...code.excluded(paths.map((path) => `${path}\0`).join(''))];
  assert.deepEqual(decide(), [1, 0, 1, 0, 1]);
  code.clearRules();
  assert.deepEqual(decide(), [0, 0, 0, 0, 0]);
  assert.deepEqual([...code.excluded('')], []);
});

test('a package without the module offers no tools for source code', () => {
  const folder = join(temporaryFolder(), 'dist');
  const isKept = (path: string): boolean => !/limbic_code|[\\/](model|ui)$/.test(path);
  cpSync(join(PACKAGE, 'dist'), folder, { recursive: true, filter: isKept });
  cpSync(join(PACKAGE, 'package.json'), join(folder, '..', 'package.json'));
  const list = (program?: string): string[] => {
    const lines = [
      { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} } },
      { id: 2, method: 'tools/list' },
    ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
    const args = ['--db', join(temporaryFolder(), 'memory.db'), '--no-model', '--toolsets', 'memory,code'];
    const { stdout, stderr } = run(args, {
      input: `${lines.join('\n')}\n`,
      ...(program === undefined ? {} : { program }),
    });
    assert.equal(/not offered: their module is missing/.test(stderr), program !== undefined, stderr);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Listed);
    return answers.find(({ id }) => id === 2)?.result.tools.map(({ name }) => name) ?? [];
  };
  const [whole, part] = [list(), list(join(folder, 'main.js'))];
  assert.ok(whole.includes('index_project') && part.includes('memory_recall'));
  assert.ok(!part.includes('index_project') && !part.includes('search_code'), part.join());
});

interface Listed {
  readonly id: number;
  readonly result: { readonly tools: readonly { readonly name: string }[] };
}
