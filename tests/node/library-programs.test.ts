/** The library in programs of other kinds: CommonJS, and TypeScript with its strictest settings. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PACKAGE, temporaryFolder } from './support/places.ts';

/** A folder of a program that has the package installed. */
function programFolder(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  symlinkSync(PACKAGE, join(modules, 'limbic-memory'), 'junction');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Runs Node in a folder, which must succeed. Returns its output. */
function node(folder: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`);
  return stdout;
}

const USE = `
  const memory = await open({ db: 'memory.db', model: false });
  await memoryTool(memory).create({ path: '/memories/a', file_text: 'Deploys run on Tuesdays' });
  const { memories } = await memory.memory_recall({ query: 'when do deploys run?', domain: 'memory-tool' });
  await memory.close();
  console.log(memories.length);
`;

test('a CommonJS program imports the library', () => {
  const folder = programFolder({
    'program.cjs': `(async () => {
      const { open } = await import('limbic-memory');
      const { memoryTool } = await import('limbic-memory/memory-tool');${USE}})();`,
  });
  assert.equal(node(folder, ['program.cjs']), '1\n');
});

// Added to Node 20.19 and 22.12. Earlier versions refuse any ES module with an error that says so.
const isRequired = 'require_module' in process.features && process.features.require_module === true;

test('a CommonJS program requires the library where Node can', () => {
  const folder = programFolder({
    'program.cjs': `const { open } = require('limbic-memory');
      const { memoryTool } = require('limbic-memory/memory-tool');
      (async () => {${USE}})();`,
    'error.cjs': `try { require('limbic-memory'); } catch ({ code }) { console.log(code); }`,
  });
  if (isRequired) assert.equal(node(folder, ['--no-warnings', 'program.cjs']), '1\n');
  else assert.equal(node(folder, ['error.cjs']), 'ERR_REQUIRE_ESM\n');
});

interface Tool {
  readonly name: string;
  readonly _limbic: { readonly example: unknown };
}

test('the types accept the example of every tool, and describe its answer, under the strictest settings', () => {
  const tools = JSON.parse(readFileSync(join(PACKAGE, 'dist', 'tools.json'), 'utf8')) as Tool[];
  assert.ok(tools.length > 40);
  const calls = tools.map(({ name, _limbic: { example } }) => {
    return `const ${name}: Tools['${name}']['output'] = await memory.${name}(${JSON.stringify(example)});\nvoid ${name};`;
  });
  const program = `import { LimbicError, open, type Memory, type Tools } from 'limbic-memory';
import { memoryTool, memoryToolExecutor } from 'limbic-memory/memory-tool';
const memory: Memory = await open({ db: 'memory.db', readOnly: false });
${calls.join('\n')}
const stored: string = (await memory.memory_store({ content: 'One' })).memory.id;
const [first] = (await memory.memory_recall({ query: 'one?' }, { asStored: true })).memories;
const content: string | undefined = first?.content;
const read: string = await memoryTool(memory, { domain: 'files' }).view({ path: '/memories', view_range: [1, -1] });
const ran: string = await memoryToolExecutor(memory)({ command: 'delete', path: '/memories/a' });
void [stored, content, read, ran, LimbicError];
// @ts-expect-error: there is no such argument
await memory.memory_recall({ question: 'one?' });
// @ts-expect-error: the argument is missing
await memory.memory_get();
// @ts-expect-error: there is no such tool
await memory.memory_get_all();
await memory.close();
`;
  const settings = {
    compilerOptions: {
      module: 'nodenext',
      target: 'es2022',
      types: [],
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      skipLibCheck: false,
    },
    files: ['program.mts'],
  };
  const folder = programFolder({ 'program.mts': program, 'tsconfig.json': JSON.stringify(settings) });
  node(folder, [join(PACKAGE, 'node_modules', 'typescript', 'bin', 'tsc')]);
});
