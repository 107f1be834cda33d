/** The page of `show_memory` in a host of MCP Apps: the SDK's bridge, and a sandbox without an origin. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import axe from 'axe-core';
import type { BrowserContext, FrameLocator, Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boxOf, complaints, launch } from './support/browser.ts';
import { LimbicServer } from './support/limbic-server.ts';
import { ROOT, screenshotFolder, server, temporaryFolder } from './support/places.ts';
import { HOSTILE } from './support/small-memory.ts';

const EXTENSIONS = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
const URI = 'ui://limbic/memory.html';
const QUESTION = 'when does Atlas deploy?';
const pictures = screenshotFolder('mcp-app');

const database = join(temporaryFolder(), 'memory.db');
let browser: BrowserContext;
let running: LimbicServer;
let agent: Client;
let script: string;

interface Stored {
  readonly id: string;
  readonly content: string;
  readonly confidence: number;
}

beforeAll(async () => {
  running = await LimbicServer.start(database);
  agent = await running.connect('agent', { extensions: EXTENSIONS });
  await answer('create_entities', {
    entities: [
      { name: 'Atlas', entityType: 'Project', observations: ['Atlas stores its data in SQLite'] },
      { name: 'Ines', entityType: 'Person', observations: ['Ines works on Atlas'] },
    ],
  });
  await answer('create_relations', { relations: [{ from: 'Ines', to: 'Atlas', relationType: 'works_on' }] });
  script = await hostScript();
  browser = await launch({ viewport: { width: 1000, height: 720 } });
});
afterAll(async () => {
  await browser?.close();
  await agent?.close();
  await running?.kill();
});

/** The SDK's host, as one script. */
async function hostScript(): Promise<string> {
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    resolve: {
      alias: {
        '@modelcontextprotocol/ext-apps/app-bridge': join(
          ROOT,
          'web/node_modules/@modelcontextprotocol/ext-apps/dist/src/app-bridge.js',
        ),
      },
    },
    build: {
      write: false,
      rolldownOptions: {
        input: fileURLToPath(new URL('support/app-host.ts', import.meta.url)),
        output: { format: 'iife', codeSplitting: false },
      },
    },
  })) as Rolldown.RolldownOutput;
  return built.output[0].code;
}

async function answer<T = Record<string, unknown>>(name: string, args: Record<string, unknown>): Promise<T> {
  const result = await agent.callTool({ name, arguments: args });
  expect(result.isError, JSON.stringify(result.content)).not.toBe(true);
  return result.structuredContent as T;
}

async function store(content: string, more: Record<string, unknown> = {}): Promise<Stored> {
  return (await answer<{ memory: Stored }>('memory_store', { content, category: 'fact', ...more })).memory;
}

async function stored(id: string): Promise<Stored | undefined> {
  const result = await agent.callTool({ name: 'memory_get', arguments: { ids: [id] } });
  return (result.structuredContent as { memories: Stored[] } | undefined)?.memories[0];
}

/** The reasons of changes of a memory in the audit log, newest first. */
function reasons(id: string): string[] {
  const args = [join(server(), 'main.js'), 'audit', '--db', database, '--memory', id];
  const lines = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n');
  return lines.flatMap((line) => (JSON.parse(line) as { reason?: string }).reason ?? []);
}

interface Shown {
  readonly page: Page;
  readonly app: FrameLocator;
  readonly errors: string[];
  /** The tools that the App called. */
  readonly calls: string[];
}

/** Asks with `show_memory`, and shows its page as a host does. */
async function show(input: Record<string, unknown>, client = agent, theme: 'light' | 'dark' = 'light'): Promise<Shown> {
  const { tools } = await client.listTools();
  const tool = tools.find(({ name }) => name === 'show_memory');
  expect(tool?._meta?.['ui']).toEqual({ resourceUri: URI });
  const [content] = (await client.readResource({ uri: URI })).contents as { text: string }[];
  const result = await client.callTool({ name: 'show_memory', arguments: input });
  const page = await browser.newPage();
  const errors = complaints(page);
  const calls: string[] = [];
  await page.exposeFunction('callServer', (params: { name: string; arguments?: Record<string, unknown> }) => {
    calls.push(params.name);
    return client.callTool(params);
  });
  await page.setContent('<!doctype html><html lang="en"><title>Host</title><body style="margin: 0"></body></html>');
  await page.addScriptTag({ content: script });
  await page.evaluate((app) => window.showApp(app), { html: content?.text ?? '', theme, tools, input, result });
  return { page, app: page.frameLocator('iframe'), errors, calls };
}

describe('the page in a host', () => {
  it('reports that it needs a host if there is none', async () => {
    const [content] = (await agent.readResource({ uri: URI })).contents as { text: string }[];
    const page = await browser.newPage();
    await page.setContent(content?.text ?? '');
    await page.getByRole('alert').getByText('must be opened by a host').waitFor();
    await page.close();
  });

  it('shows the memories with their reasons, and the graph around them', async () => {
    await store('Atlas deploys on Tuesdays', { subject: 'deploy' });
    await store('The deploy of Atlas takes ten minutes');
    const { page, app, errors } = await show({ query: QUESTION });
    const list = app.getByRole('region', { name: 'Memories' });
    await list.getByText('Atlas deploys on Tuesdays').waitFor();
    expect(await list.getByRole('heading').innerText()).toBe(QUESTION);
    expect(await list.getByRole('img', { name: /Relevance/ }).count()).toBeGreaterThan(1);
    await list.getByRole('list', { name: 'Legend of the score bars' }).waitFor();
    const graph = app.getByRole('application');
    await graph.waitFor();
    // Two memories, and the project that both mention.
    expect(await graph.getAttribute('aria-label')).toMatch(/^Graph of 1 entity, 2 memories and 2 edges/);
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(pictures, 'wide.png') });
    await page.setViewportSize({ width: 640, height: 720 });
    await expect.poll(async () => (await boxOf(graph)).width).toBeGreaterThan(600);
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(pictures, 'narrow.png') });
    expect(errors).toEqual([]);
    await page.close();
  });

  it('approves, corrects and deletes, as the audit log shows', async () => {
    const { id } = await store('Releases of Boreas are cut on Mondays', { confidence: 0.4 });
    const { page, app, errors } = await show({ query: 'when are releases of Boreas cut?', limit: 1 });
    await app.getByRole('button', { name: 'Approve' }).click();
    await expect.poll(async () => (await stored(id))?.confidence).toBe(1);
    await app.getByRole('button', { name: 'Correct' }).click();
    await app.getByRole('textbox', { name: 'Corrected text' }).fill('Releases of Boreas are cut on Wednesdays');
    await page.screenshot({ path: join(pictures, 'correct.png') });
    await app.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await stored(id))?.content).toBe('Releases of Boreas are cut on Wednesdays');
    await app.getByRole('link', { name: /are cut on Wednesdays/ }).waitFor();
    expect(reasons(id)).toEqual(['corrected by the user', 'approved by the user']);
    await app.getByRole('button', { name: 'Forget' }).click();
    await app.getByRole('button', { name: 'Cancel' }).click();
    expect(await stored(id)).toBeDefined();
    await app.getByRole('button', { name: 'Forget' }).click();
    await app.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => stored(id)).toBeUndefined();
    expect(reasons(id), 'the deletion clears the earlier ones').toEqual(['asked by the user']);
    expect(errors).toEqual([]);
    await page.close();
  });

  it('opens a memory in the inspector, and a neighbour in the graph', async () => {
    const { page, app, errors } = await show({ query: QUESTION });
    await app.getByRole('link', { name: /Atlas deploys on/ }).click();
    const inspector = app.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByRole('link', { name: 'Atlas' }).first().click();
    await inspector.getByText('Atlas stores its data in SQLite').waitFor();
    await inspector.getByRole('button', { name: 'Show in graph' }).click();
    await app.getByRole('button', { name: 'Back to the memories' }).waitFor();
    await page.screenshot({ path: join(pictures, 'inspector.png') });
    await app.getByRole('button', { name: 'Back to the memories' }).click();
    expect(errors).toEqual([]);
    await page.close();
  });

  it('follows the theme of the host, in which axe finds nothing, and ends when the host asks', async () => {
    const { page, app } = await show({ query: QUESTION }, agent, 'dark');
    await app.getByRole('application').waitFor();
    const root = app.locator('html');
    expect(await root.getAttribute('data-theme')).toBe('dark');
    await page.screenshot({ path: join(pictures, 'dark.png') });
    const frame = page.frames()[1];
    await frame?.evaluate(axe.source);
    const found = await frame?.evaluate(
      async () => (await (window as unknown as { axe: typeof axe }).axe.run()).violations,
    );
    expect(found?.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)).toEqual(
      [],
    );
    await page.evaluate(() => window.setTheme('light'));
    await expect.poll(() => root.getAttribute('data-theme')).toBe('light');
    await page.evaluate(() => window.endApp());
    await page.close();
  });

  it('shows stored text as text, and the error of a failed call', async () => {
    const text = `${HOSTILE.join(' ').replaceAll('\u0000', '')} zephyr`;
    await store(text);
    const { page, app, errors } = await show({ query: 'zephyr', limit: 1 });
    await app.getByRole('region', { name: 'Memories' }).getByRole('link').first().waitFor();
    expect(errors).toEqual([]);
    await page.close();
    const failed = await show({ query: 'zephyr', domain: 'no-such-domain' });
    await failed.app.getByRole('alert').getByText('no-such-domain').waitFor();
    await failed.page.close();
  });

  it('offers no changes on a read-only server, and no graph for one user', async () => {
    const folder = temporaryFolder();
    const db = join(folder, 'other.db');
    const writing = await LimbicServer.start(db);
    const writer = await writing.connect('agent');
    await writer.callTool({ name: 'memory_store', arguments: { content: 'Atlas deploys by hand', user_id: 'ines' } });
    await writer.close();
    await writing.kill();
    for (const [options, isReadOnly] of [
      [['--test-encoder'], true],
      [['--test-encoder', '--user', 'ines'], false],
    ] as const) {
      const server = await LimbicServer.start(db, { isReadOnly, options });
      const client = await server.connect('agent', { extensions: EXTENSIONS });
      const { page, app, errors, calls } = await show({ query: 'Atlas' }, client);
      await app.getByText('deploys by hand').first().waitFor();
      expect(await app.getByRole('button', { name: 'Approve' }).count()).toBe(isReadOnly ? 0 : 1);
      if (!isReadOnly) {
        expect(new Set(calls)).toEqual(new Set(['memory_recall']));
        await app.getByRole('button', { name: 'Correct' }).click();
        await app.getByRole('textbox', { name: 'Corrected text' }).fill('Atlas deploys itself');
        await app.getByRole('button', { name: 'Save' }).click();
        await expect.poll(() => app.getByRole('textbox').count()).toBe(0);
        await app.getByText('deploys itself').first().waitFor();
      }
      expect(errors).toEqual([]);
      await page.close();
      await client.close();
      await server.kill();
    }
  });
});
