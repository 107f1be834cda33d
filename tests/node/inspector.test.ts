/** The Inspector's command line, which also checks the tools' schemas for clients that know less of JSON Schema. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { listening } from './support/http.ts';
import { commandOf, PACKAGE, PROGRAMS, type Program, temporaryFolder } from './support/places.ts';

/** It asks for a newer Node than this package, and its command line runs on the same ones. */
const INSPECTOR = join(PACKAGE, 'node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js');
const OPTIONS = ['--toolsets', 'all'];
const CONTENT = 'Deploys run on Tuesdays';

/** The output with `--format json`. */
interface Printed {
  readonly result: Record<string, unknown> & { readonly tools?: readonly { readonly name: string }[] };
  /** Errors and warnings of `--strict`. */
  readonly schemaFindings?: readonly unknown[];
}

/** Makes the arguments of the Inspector that name a server on this transport. */
type Target = (
  t: TestContext,
  folder: string,
  program: Program,
  options?: readonly string[],
) => Promise<readonly string[]>;

const onStdio: Target = async (_, folder, program, options = OPTIONS) => {
  const [command, ...first] = commandOf(program);
  const memory = { command, args: [...first, '--db', join(folder, 'memory.db'), '--no-model', ...options] };
  const config = join(folder, 'mcp.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { memory } }));
  return ['--config', config, '--server', 'memory'];
};

const onHttp: Target = async (t, folder, program) => {
  const options = ['--db', join(folder, 'memory.db'), '--http', '0', '--no-model', ...OPTIONS];
  const server = await listening(t, options, {}, program);
  const url = `http://127.0.0.1:${server.port}/mcp`;
  return ['--server-url', url, '--transport', 'http', '--header', `Authorization: ${server.pass['authorization']}`];
};

/** Runs the Inspector. Its settings are in the folder, and it asks no keychain. */
async function inspect(folder: string, args: readonly string[]): Promise<Printed> {
  const env = { ...process.env, HOME: folder, USERPROFILE: folder, MCP_INSPECTOR_SECRET_STORE: 'memory' };
  const run = spawn(process.execPath, [INSPECTOR, ...args, '--format', 'json', '--connect-timeout', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  run.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  run.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(run, 'close')) as [number | null];
  assert.equal(code, 0, `${errors}${output}`);
  return JSON.parse(output) as Printed;
}

const TARGETS = { stdio: onStdio, HTTP: onHttp };
const RUNS = PROGRAMS.flatMap((program) =>
  (['stdio', 'HTTP'] as const).flatMap((transport) => ['legacy', 'modern'].map((era) => ({ program, transport, era }))),
);

for (const { program, transport, era } of RUNS) {
  test(`the Inspector finds no fault in the tools and calls one (${program}, ${transport}, ${era})`, async (t) => {
    const folder = temporaryFolder();
    const target = [...(await TARGETS[transport](t, folder, program)), '--protocol-era', era];
    const { result, schemaFindings } = await inspect(folder, [...target, '--method', 'tools/list', '--strict']);
    const listed = result.tools?.map(({ name }) => name) ?? [];
    assert.ok(listed.includes('memory_store') && listed.includes('memory_maintain'), listed.join(' '));
    assert.deepEqual(schemaFindings ?? [], []);
    const stored = ['--tool-name', 'memory_store', '--tool-args-json', JSON.stringify({ content: CONTENT })];
    const { result: answer } = await inspect(folder, [...target, '--method', 'tools/call', ...stored]);
    const { memory } = answer['structuredContent'] as { memory: { content: string } };
    assert.equal(memory.content, CONTENT);
  });
}

for (const program of PROGRAMS) {
  test(`the Inspector finds no fault in complete schemas of all tools (${program})`, async (t) => {
    const folder = temporaryFolder();
    const options = ['--toolsets', 'all,explorer', '--output-schemas', 'full'];
    const target = await onStdio(t, folder, program, options);
    const { result, schemaFindings } = await inspect(folder, [...target, '--method', 'tools/list', '--strict']);
    assert.ok(result.tools?.some(({ name }) => name === 'query_sql'));
    assert.deepEqual(schemaFindings ?? [], []);
  });
}
