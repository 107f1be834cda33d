/**
 * Where a server listens for hooks: a socket or named pipe with a name of its own. The key file, which only the user
 * can read, says which it is. It is replaced as a whole, so that of servers that start at the same moment one is found.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { KEY_BYTES } from './hook-messages.ts';
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

/** The paths of servers that listen for hooks with the same options. */
export interface HookPaths {
  readonly folder: string;
  /** The file with the key and the socket of the server that answers. */
  readonly keyFile: string;
  /** The start of the names of their sockets. */
  readonly prefix: string;
}

/** The entry by which a hook reaches a server. */
export interface HookEntry {
  readonly key: Buffer;
  /** The name of its socket. */
  readonly name: string;
}

/** Bytes of the path of a Unix socket that every system accepts. */
const MAX_SOCKET_BYTES = 100;
/** Hexadecimal digits of the name of a key file: 128 bits. */
const NAME_CHARS = 32;
/** Hexadecimal digits of it at the start of the names of sockets, whose paths must be short. */
const PREFIX_CHARS = 8;
/** Bytes of the rest of the name of a socket. */
const RANDOM_BYTES = 6;
const SOCKET_NAME = /^[0-9a-f]+-[0-9a-f]+\.sock$/;
const isWindows = process.platform === 'win32';
const OTHERS = 0o077;

/** The version and options that a hook and a server must share, so that the server answers as the hook would. */
export function identityOf({ db, user, redact, acceptsSharedDisk }: HookAccess): string {
  return JSON.stringify([LIMBIC_VERSION, realPath(db), user ?? null, redact ?? null, acceptsSharedDisk]);
}

/** The paths for an identity; `undefined` if the path of the socket would be too long. */
export function pathsOf(identity: string, env: Env = process.env): HookPaths | undefined {
  const name = createHash('sha256').update(identity).digest('hex').slice(0, NAME_CHARS);
  const folder = privateFolder(env);
  const paths = { folder, keyFile: join(folder, `${name}.key`), prefix: `${name.slice(0, PREFIX_CHARS)}-` };
  const isTooLong = !isWindows && Buffer.byteLength(socketOf(paths, newSocketName(paths))) > MAX_SOCKET_BYTES;
  return isTooLong ? undefined : paths;
}

/** A name for a socket that no other server has. */
export function newSocketName({ prefix }: HookPaths): string {
  return `${prefix}${randomBytes(RANDOM_BYTES).toString('hex')}.sock`;
}

/** The path of a socket or named pipe. */
export function socketOf({ folder }: HookPaths, name: string): string {
  return isWindows ? `\\\\.\\pipe\\limbic-${name}` : join(folder, name);
}

/** The content of a key file. */
export function entryText({ key, name }: HookEntry): Buffer {
  return Buffer.concat([key, Buffer.from(name)]);
}

/** Reads the key file; `undefined` if there is none, or it is not whole. */
export function readEntry({ keyFile }: HookPaths): HookEntry | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(keyFile);
  } catch {
    return undefined;
  }
  const entry = { key: bytes.subarray(0, KEY_BYTES), name: bytes.subarray(KEY_BYTES).toString() };
  return SOCKET_NAME.test(entry.name) ? entry : undefined;
}

/** Creates the folder, unless it exists. */
export function makeFolder(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Whether this is a folder of this user that no other user may enter. On Windows the profile's rights apply. */
export function isPrivate(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return false;
  return isWindows || (found.uid === process.getuid?.() && (found.mode & OTHERS) === 0);
}

function privateFolder(env: Env): string {
  if (isWindows) {
    return join(env['LOCALAPPDATA'] || join(homedir(), 'AppData', 'Local'), 'limbic', 'hooks');
  }
  const runtime = env['XDG_RUNTIME_DIR'];
  if (runtime !== undefined && isAbsolute(runtime)) return join(runtime, 'limbic');
  return join(tmpdir(), `limbic-${process.getuid?.()}`);
}
