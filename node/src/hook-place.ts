/** Where a server listens for hooks: a socket or named pipe, and beside it a key that only the user can read. */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { realPath } from './paths.ts';

declare const LIMBIC_VERSION: string;

type Env = Readonly<Record<string, string | undefined>>;

/** The options that decide what a hook reads and stores. */
export interface HookAccess {
  readonly db: string;
  /** The user whose memories it reads and stores; all users if undefined. */
  readonly user: string | undefined;
  readonly redact: string | undefined;
  readonly acceptsSharedDisk: boolean;
}

/** The paths of a server that listens for hooks. */
export interface HookPlace {
  readonly folder: string;
  readonly socket: string;
  readonly keyFile: string;
}

/** Bytes of the path of a Unix socket that every system accepts. */
const MAX_SOCKET_BYTES = 100;
/** Hexadecimal digits of the name: 128 bits. */
const NAME_CHARS = 32;
const OTHERS = 0o077;

/** What a hook and a server must have in common, so that the server answers as the hook would: version and options. */
export function identityOf({ db, user, redact, acceptsSharedDisk }: HookAccess): string {
  return JSON.stringify([LIMBIC_VERSION, realPath(db), user ?? null, redact ?? null, acceptsSharedDisk]);
}

/** The place for an identity; `undefined` if the path of the socket would be too long. */
export function placeOf(identity: string, env: Env = process.env): HookPlace | undefined {
  const name = createHash('sha256').update(identity).digest('hex').slice(0, NAME_CHARS);
  const folder = privateFolder(env);
  const isWindows = process.platform === 'win32';
  const socket = isWindows ? `\\\\.\\pipe\\limbic-${name}` : join(folder, `${name}.sock`);
  if (!isWindows && Buffer.byteLength(socket) > MAX_SOCKET_BYTES) return undefined;
  return { folder, socket, keyFile: join(folder, `${name}.key`) };
}

/** Creates the folder, unless it exists. */
export function makeFolder(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Whether this is a folder of this user that no other user may enter. On Windows the profile's rights apply. */
export function isPrivate(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return false;
  return process.platform === 'win32' || (found.uid === process.getuid?.() && (found.mode & OTHERS) === 0);
}

function privateFolder(env: Env): string {
  if (process.platform === 'win32') {
    return join(env['LOCALAPPDATA'] || join(homedir(), 'AppData', 'Local'), 'limbic', 'hooks');
  }
  const runtime = env['XDG_RUNTIME_DIR'];
  if (runtime !== undefined && isAbsolute(runtime)) return join(runtime, 'limbic');
  return join(tmpdir(), `limbic-${process.getuid?.()}`);
}
