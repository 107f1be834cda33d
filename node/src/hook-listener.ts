/** Runs hooks for other processes of this user, which then need not load the core, and have an encoder. */
import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type KnownFailure, textOf } from 'limbic-shell/failure.ts';
import type { Answer, CoreThread } from './core-thread.ts';
import { isServed, listenOnSocket } from './http/socket.ts';
import {
  frame,
  type HookReply,
  KEY_BYTES,
  ofAnswer,
  ofRequest,
  readFrame,
  requestOf,
  seal,
  unseal,
} from './hook-messages.ts';
import {
  entryText,
  type HookEntry,
  type HookPaths,
  identityOf,
  isPrivate,
  makeFolder,
  newSocketName,
  pathsOf,
  readEntry,
  socketOf,
} from './hook-socket-paths.ts';
import { seemsEncrypted } from './key-source.ts';
import { log } from './log.ts';
import type { ToolAccess } from './messages.ts';
import type { Options } from './options.ts';
import type { Listener } from './shutdown.ts';

/** Time for a request to arrive, and for its answer to be taken. */
const TRANSFER_MILLIS = 5000;
/** Pause between two looks at which server answers. */
const LOOK_MILLIS = 2000;
/** Age of a socket that a server which was killed may have left: one that has just begun to listen is younger. */
const LEFT_MILLIS = 60_000;
const MAX_CONNECTIONS = 16;
/** Errors that a hook would meet by itself as well. After others, it opens the database itself. */
const OWN_FAILURES: ReadonlySet<string> = new Set(['invalid_argument', 'marks_refused']);

/**
 * Listens for hooks. Of several servers that answer alike, hooks find the one in the key file. Each server looks at
 * that file, and enters itself when the server there has ended, so that servers that start at the same moment, or a
 * file that is deleted, leave no hook without an answer for long.
 */
export class HookListener implements Listener {
  readonly #core: CoreThread;
  readonly #db: string;
  readonly #access: ToolAccess;
  readonly #identity: string;
  readonly #paths: HookPaths;
  readonly #onstored: () => void;
  readonly #server = createServer((socket) => this.#accept(socket));
  readonly #own: HookEntry;
  readonly #receiving = new Set<Socket>();
  readonly #serving = new Set<Promise<void>>();
  #look: NodeJS.Timeout | undefined;
  #isStopped = false;

  /**
   * The listener of a server; `undefined` if the server answers otherwise than a hook does alone: it only reads, logs
   * searches in its own way, or has a test clock.
   *
   * @param onstored called when a hook has stored something.
   */
  static of(options: Options, core: CoreThread, onstored: () => void): HookListener | undefined {
    const { readOnly, privateLog, searchLogDays, testClockMillis } = options;
    if (readOnly || privateLog || searchLogDays !== undefined || testClockMillis !== undefined) return undefined;
    const identity = identityOf(options);
    const paths = pathsOf(identity);
    return paths === undefined ? undefined : new HookListener(options, core, onstored, identity, paths);
  }

  private constructor(
    { db, user }: Options,
    core: CoreThread,
    onstored: () => void,
    identity: string,
    paths: HookPaths,
  ) {
    this.#core = core;
    this.#db = db;
    // A hook has the default toolsets, whatever the server offers to its clients.
    this.#access = { toolsets: [], user };
    this.#onstored = onstored;
    this.#identity = identity;
    this.#paths = paths;
    this.#own = { key: randomBytes(KEY_BYTES), name: newSocketName(paths) };
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /**
   * Listens unless another server answers, and looks again every two seconds. After a failure it stops, which is only
   * logged, because hooks work without a server.
   */
  start(): void {
    this.#claim()
      .then(() => {
        if (!this.#isStopped) this.#look = setTimeout(() => this.start(), LOOK_MILLIS).unref();
      })
      .catch((error: unknown) => {
        this.#close();
        log(`hooks open the database themselves: ${textOf(error)}`);
      });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#look);
    for (const socket of this.#receiving) socket.destroy();
    this.#close();
  }

  async drained(): Promise<void> {
    await Promise.all(this.#serving);
  }

  /** Enters this server in the key file, unless the one that is there listens. */
  async #claim(): Promise<void> {
    const paths = this.#paths;
    makeFolder(paths.folder);
    if (!isPrivate(paths.folder)) {
      throw new Error(`${paths.folder} belongs to another user or is accessible to others: remove it`);
    }
    const found = readEntry(paths);
    if (found !== undefined && (this.#isOwn(found) || (await isServed(socketOf(paths, found.name))))) return;
    if (this.#isStopped) return;
    if (!this.#server.listening) {
      await listenOnSocket(this.#server, socketOf(paths, this.#own.name));
      this.#server.on('error', (error) => log(`hooks: ${error.message}`));
      this.#server.unref();
      if (this.#isStopped) {
        this.#server.close();
        return;
      }
    }
    const beside = `${paths.keyFile}.${process.pid}`;
    try {
      writeFileSync(beside, entryText(this.#own), { mode: 0o600 });
      renameSync(beside, paths.keyFile);
    } finally {
      rmSync(beside, { force: true });
    }
    await this.#removeSockets(found);
  }

  /** Removes the sockets of servers that were killed. No other server gets a name that was used. */
  async #removeSockets(former: HookEntry | undefined): Promise<void> {
    if (process.platform === 'win32') return;
    const { folder, prefix } = this.#paths;
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(prefix) || name === this.#own.name) continue;
      const path = join(folder, name);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found?.isSocket() !== true) continue;
      const isLeft = name === former?.name || Date.now() - found.mtimeMs > LEFT_MILLIS;
      if (isLeft && !(await isServed(path))) rmSync(path, { force: true });
    }
  }

  #isOwn({ key, name }: HookEntry): boolean {
    return name === this.#own.name && this.#own.key.equals(key);
  }

  /** Ends listening. The key file of another server stays. */
  #close(): void {
    const entered = readEntry(this.#paths);
    if (entered !== undefined && this.#isOwn(entered)) rmSync(this.#paths.keyFile, { force: true });
    if (this.#server.listening) this.#server.close();
  }

  #accept(socket: Socket): void {
    const serving = this.#serve(socket)
      // A request that cannot be read or is not for this server: the hook opens the database itself.
      .catch(() => {})
      .finally(() => {
        socket.destroy();
        this.#serving.delete(serving);
      });
    this.#serving.add(serving);
  }

  async #serve(socket: Socket): Promise<void> {
    const request = await this.#receive(socket);
    const call = requestOf(unseal(this.#own.key, ofRequest(this.#identity), request));
    // The hook needs a key of its own.
    if (seemsEncrypted(this.#db)) return;
    const left = new AbortController();
    // Marks are stored although the hook was killed: hosts do not wait for the end of a session.
    if (call.transcript === undefined) socket.once('close', () => left.abort());
    const reply = replyOf(await this.#core.hook(call, this.#access, left.signal));
    if (call.transcript !== undefined) this.#onstored();
    if (reply === undefined || socket.destroyed) return;
    await send(socket, seal(this.#own.key, ofAnswer(this.#identity, request), JSON.stringify(reply)));
  }

  async #receive(socket: Socket): Promise<Buffer> {
    this.#receiving.add(socket);
    const timer = setTimeout(() => socket.destroy(), TRANSFER_MILLIS);
    try {
      return await readFrame(socket);
    } finally {
      clearTimeout(timer);
      this.#receiving.delete(socket);
    }
  }
}

/** The reply for the hook; `undefined` for failures that are the server's own. */
function replyOf({ isError, text }: Answer): HookReply | undefined {
  if (!isError) return { output: text === '' ? undefined : text };
  const failure = JSON.parse(text) as Partial<KnownFailure>;
  return OWN_FAILURES.has(failure.code ?? '') ? { failure: failure as KnownFailure } : undefined;
}

/** Sends a message. Resolves when the hook has taken it, or the time for that is over. */
function send(socket: Socket, message: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, TRANSFER_MILLIS);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.end(frame(message));
  });
}
