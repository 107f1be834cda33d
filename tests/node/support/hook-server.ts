/** Servers that answer hooks, and hooks on their database. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { connect, eventually, type Session } from './client.ts';
import { HOOK, SERVER, temporaryFolder } from './places.ts';
import { type RawServer, start } from './raw.ts';
import { type Ran, run } from './run.ts';

export const NO_MODEL = '--no-model';
export const QUESTION = { prompt: 'On which day do deploys run?' };
export const DEPLOYS = 'Deploys run on Tuesdays';
/** The tests have Unix sockets in a folder of their own. */
export const onUnix = { skip: process.platform === 'win32' };

/** A database, a folder for sockets, and hooks on it. */
export class Setting {
  readonly folder = temporaryFolder();
  db = join(this.folder, 'memory.db');
  /** Nothing but `main.js` and `hook.cjs`: they have no core, so that a server alone can answer their hooks. */
  readonly withoutCore = join(this.folder, 'package', 'main.js');
  readonly programWithoutCore = join(this.folder, 'package', 'hook.cjs');
  /** The variables of all programs, with time enough for a busy machine. */
  readonly env = { XDG_RUNTIME_DIR: this.folder, LIMBIC_TEST_HOOK_MILLIS: '20000' };

  constructor() {
    mkdirSync(join(this.folder, 'package'));
    copyFileSync(SERVER, this.withoutCore);
    copyFileSync(HOOK, this.programWithoutCore);
    writeFileSync(join(this.folder, 'package', 'package.json'), '{"type": "module"}');
  }

  /** The folder of the sockets. */
  get place(): string {
    return join(this.folder, 'limbic');
  }

  /** The files of this ending there. */
  files(ending: string): string[] {
    return existsSync(this.place) ? readdirSync(this.place).filter((name) => name.endsWith(ending)) : [];
  }

  /** Waits until a server listens. */
  async listening(): Promise<void> {
    await eventually('it listens for hooks', () => this.files('.key').length > 0);
  }

  /** Starts a server that listens for hooks, with its client. */
  async serve(t: TestContext, args: readonly string[] = []): Promise<Session> {
    const server = await connect(t, ['--db', this.db, NO_MODEL, ...args], this.env);
    await this.listening();
    return server;
  }

  /** Starts a server without a client. */
  start(t: TestContext, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): RawServer {
    return start(t, ['--db', this.db, NO_MODEL, ...args], { ...this.env, ...env });
  }

  /** Runs a hook as users do. */
  hook(hook: string, event: object, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Ran {
    const input = JSON.stringify({ cwd: this.folder, ...event });
    return run(['hook', hook, '--db', this.db, ...args], { input, env: { ...this.env, ...env } });
  }

  /** Runs a hook that only a server can answer. */
  served(hook: string, event: object, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Ran {
    const input = JSON.stringify({ cwd: this.folder, ...event });
    const program = this.withoutCore;
    return run(['hook', hook, '--db', this.db, ...args], { input, program, env: { ...this.env, ...env } });
  }
}

export function assertAnswered(ran: Ran, what: RegExp): void {
  assert.deepEqual([ran.status, ran.stderr], [0, '']);
  assert.match(ran.stdout, what);
}

/** A hook without a core has found no server, and wanted to open the database itself. */
export function assertUnanswered(ran: Ran): void {
  assert.deepEqual([ran.status, ran.stdout], [0, '']);
  assert.match(ran.stderr, /did nothing: .*commands\.js/);
}
