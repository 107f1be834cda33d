/** Named tokens of clients over HTTP: one file each in the folder `memory.db-tokens` beside the database. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { textOf } from 'limbic-shell/failure.ts';
import { log } from './log.ts';

const TOKEN_BYTES = 32;
/** Identifies tokens of Limbic to people and to secret scanners. */
const PREFIX = 'limbic_';
const FILE_ENDING = '.json';
const HOLDER_CHARS = 32;
/** The time of the last use is stored at most once per interval. */
const USE_INTERVAL_MILLIS = 60_000;
/** Names of tokens are names of files. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** A SHA-256 in hexadecimal digits. */
const DIGEST = /^[0-9a-f]{64}$/i;
export const NAME_RULE = 'the name of a token has up to 64 lower case letters, digits and . _ -, such as "laptop"';

/** The rights of a token. */
export interface TokenRights {
  /** Toolsets of its calls; at least one; default: those of the server. */
  readonly toolsets: readonly string[] | undefined;
  /** Whether its calls may only read. */
  readonly readOnly: boolean;
  /** The only user whose memories its calls reach; default: all users, or that of the server. */
  readonly user: string | undefined;
  /** Whether it opens the explorer, which shows and edits everything. */
  readonly explorer: boolean;
  /** Unix time after which it is refused. */
  readonly expiresMillis: number | undefined;
}

/** A token; its text is not stored. */
export interface NamedToken extends TokenRights {
  readonly name: string;
  readonly createdMillis: number;
  /** Unix time of its last use, at most a minute before the actual one. */
  readonly usedMillis: number | undefined;
}

/** The fields of a token's file. Its modification time is the time of the last use; 0 before the first. */
interface StoredToken {
  readonly sha256: string;
  readonly toolsets?: readonly string[];
  readonly read_only?: boolean;
  readonly user?: string;
  readonly explorer?: boolean;
  readonly created: string;
  readonly expires?: string;
}

/** Creates, finds and revokes the tokens of a database. */
export class TokenStore {
  readonly #db: string;
  /** Stored times of the last use, by name. */
  readonly #uses = new Map<string, number>();

  /** @param db the database's path. */
  constructor(db: string) {
    this.#db = db;
  }

  /** A server may be started before its database exists. */
  get #folder(): string {
    return tokenFolder(this.#db);
  }

  /** Whether a name can be that of a token. */
  static isName(name: string): boolean {
    return NAME.test(name) && !name.endsWith(FILE_ENDING);
  }

  /**
   * Creates a token and returns its text, which cannot be read again.
   *
   * @throws if the name is taken or the folder cannot be written.
   */
  create(name: string, { toolsets, readOnly, user, explorer, expiresMillis }: TokenRights): string {
    const text = PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
    const stored: StoredToken = {
      sha256: digest(text).toString('hex'),
      ...(toolsets && { toolsets }),
      read_only: readOnly,
      ...(user !== undefined && { user }),
      explorer,
      created: new Date().toISOString(),
      ...(expiresMillis !== undefined && { expires: new Date(expiresMillis).toISOString() }),
    };
    makeTokenFolder(this.#folder);
    const path = this.#path(name);
    try {
      writeFileSync(path, `${JSON.stringify(stored)}\n`, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new Error(`there is a token "${name}" already: choose another name, or revoke it first`);
    }
    utimesSync(path, 0, 0);
    return text;
  }

  /** Every token, by name. Invalid files are logged and left out. */
  list(): NamedToken[] {
    return this.#files().flatMap((name) => {
      const token = this.#read(name);
      return token === undefined ? [] : [token.shown];
    });
  }

  /** Deletes a token: it is refused from the next request on. Returns whether there was one. */
  revoke(name: string): boolean {
    if (!this.#files().includes(name)) return false;
    rmSync(this.#path(name), { force: true });
    return true;
  }

  /** Whether a token is unchanged: neither revoked nor expired, with the same rights. */
  isCurrent(token: NamedToken): boolean {
    const known = this.#read(token.name)?.shown;
    return known !== undefined && !isExpired(known) && holderOf(known) === holderOf(token);
  }

  /** The token with this text, unless it has expired, and notes its use. */
  find(text: string): NamedToken | undefined {
    const wanted = digest(text);
    for (const name of this.#files()) {
      const token = this.#read(name);
      if (token === undefined || !isSame(wanted, token.sha256)) continue;
      if (isExpired(token.shown)) return undefined;
      this.#use(name);
      return token.shown;
    }
    return undefined;
  }

  #files(): string[] {
    try {
      const names = readdirSync(this.#folder).filter((file) => file.endsWith(FILE_ENDING));
      return names.map((file) => file.slice(0, -FILE_ENDING.length)).sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') log(`tokens cannot be read: ${textOf(error)}`);
      return [];
    }
  }

  #read(name: string): { readonly shown: NamedToken; readonly sha256: string } | undefined {
    const path = this.#path(name);
    try {
      const { sha256, toolsets, read_only, user, explorer, created, expires } = JSON.parse(
        readFileSync(path, 'utf8'),
      ) as StoredToken;
      if (typeof sha256 !== 'string' || !DIGEST.test(sha256)) throw new Error('"sha256" is not a digest');
      if (toolsets !== undefined && !isNames(toolsets)) throw new Error('"toolsets" is not a list of names');
      if (toolsets?.length === 0) throw new Error('"toolsets" is an empty list: revoke the token, and create it again');
      const expiresMillis = expires === undefined ? undefined : parseDate(expires);
      // An invalid date, such as one edited by hand, must not give a token that never expires.
      if (Number.isNaN(expiresMillis)) throw new Error(`"expires" is not a date: ${expires}`);
      if (user !== undefined && (typeof user !== 'string' || user === ''))
        throw new Error('"user" is not the name of a user');
      const usedMillis = statSync(path).mtimeMs;
      const shown: NamedToken = {
        name,
        toolsets,
        // A missing field grants no rights.
        readOnly: read_only !== false,
        user,
        explorer: explorer === true && user === undefined,
        createdMillis: Date.parse(created),
        expiresMillis,
        usedMillis: usedMillis === 0 ? undefined : usedMillis,
      };
      return { shown, sha256 };
    } catch (error) {
      // It may be revoked at this moment.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') log(`the token "${name}" is refused: ${textOf(error)}`);
      return undefined;
    }
  }

  #use(name: string): void {
    const now = Date.now();
    if (now - (this.#uses.get(name) ?? 0) < USE_INTERVAL_MILLIS) return;
    this.#uses.set(name, now);
    try {
      utimesSync(this.#path(name), now / 1000, now / 1000);
    } catch {
      // On a read-only disk the token remains valid.
    }
  }

  #path(name: string): string {
    return join(this.#folder, name + FILE_ENDING);
  }
}

/** The folder of a database's tokens. */
export function tokenFolder(db: string): string {
  try {
    // All paths of a database lead to the same tokens.
    return `${realpathSync.native(db)}-tokens`;
  } catch {
    // It does not exist yet.
    return `${db}-tokens`;
  }
}

/** Creates the folder of tokens, for its owner only. */
export function makeTokenFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

/** A text that identifies the token and its rights. */
export function holderOf({ usedMillis, ...token }: NamedToken): string {
  return digest(JSON.stringify(token)).toString('hex').slice(0, HOLDER_CHARS);
}

/** The token as lists show it, without its text, which is not stored. */
export function describeToken(token: NamedToken): Readonly<Record<string, unknown>> {
  const { name, toolsets, readOnly, user, explorer, createdMillis, expiresMillis, usedMillis } = token;
  return {
    name,
    toolsets,
    read_only: readOnly,
    user,
    explorer,
    created: timestamp(createdMillis),
    expires: timestamp(expiresMillis),
    last_used: timestamp(usedMillis),
  };
}

/** The Unix time of a date; NaN for an invalid one. `Date.parse` takes a number for a year. */
function parseDate(date: unknown): number {
  return typeof date === 'string' ? Date.parse(date) : Number.NaN;
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

function timestamp(millis: number | undefined): string | undefined {
  return millis === undefined || Number.isNaN(millis) ? undefined : new Date(millis).toISOString();
}

function isExpired({ expiresMillis }: NamedToken): boolean {
  return expiresMillis !== undefined && Date.now() >= expiresMillis;
}

/** Digests have the same length for every input, as required for comparison in constant time. */
export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function isSame(wanted: Buffer, sha256: string): boolean {
  const known = Buffer.from(sha256, 'hex');
  return known.length === wanted.length && timingSafeEqual(known, wanted);
}
