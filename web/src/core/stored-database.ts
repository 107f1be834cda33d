import { type Core, decrypt_opfs, type EncryptedDatabase, encrypt_opfs } from 'limbic-pkg/core/limbic_core.js';
import { failedBy, failedWith } from 'limbic-shell/answer.ts';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { browserOptions, openInBrowser } from './database.ts';
import { forgetKey, storedKey, storeKey } from './key-store.ts';
import type { CoreSettings, EncryptionOrder, EncryptionState, Reply } from './messages.ts';

/** Errors of the core for an encrypted database without its key. */
const KEY_ERRORS: ReadonlySet<string> = new Set(['encrypted_database', 'wrong_key']);

export interface StoredDatabaseEvents {
  /** Called whenever it is known how the database is stored. */
  readonly onstate: (state: EncryptionState) => void;
  /** Called if a former file of the opened database remains; `text` says why, as the end of a sentence. */
  readonly onunfinished: (text: string) => void;
}

/** The database in the browser's storage, plain or encrypted with a key that this browser keeps. */
export class StoredDatabase {
  readonly #settings: CoreSettings;
  readonly #events: StoredDatabaseEvents;
  #state: EncryptionState | undefined;
  /** Whether a key was stored for an encryption that may have failed. */
  #hasUnusedKey = false;

  constructor(settings: CoreSettings, events: StoredDatabaseEvents) {
    this.#settings = settings;
    this.#events = events;
  }

  /** How the database is stored; `undefined` until it was opened. */
  get state(): EncryptionState | undefined {
    return this.#state;
  }

  /**
   * Opens the database, with the stored key if it is encrypted. Throws the core's error, `database_locked` if the key
   * is lost, or `key_unavailable` if the browser cannot read it now.
   */
  async open(): Promise<Core> {
    const core = await this.#open();
    if (core.unfinished !== undefined) this.#events.onunfinished(core.unfinished);
    return core;
  }

  async #open(): Promise<Core> {
    try {
      const core = await openInBrowser(this.#settings);
      this.#setState('plain');
      if (this.#hasUnusedKey) await this.#forget();
      return core;
    } catch (error) {
      if (!isKeyError(error)) throw error;
      return this.#openWithKey();
    }
  }

  /** Changes how the database is stored; it must be closed. Throws only if the module trapped. */
  async run(order: EncryptionOrder): Promise<Reply> {
    try {
      switch (order.what) {
        case 'encrypt':
          return await this.#encrypt(order.phrase);
        case 'decrypt':
          return await this.#decrypt();
        case 'unlock':
          return await this.#unlock(order.phrase);
      }
    } catch (error) {
      return failedBy(error);
    }
  }

  async #openWithKey(): Promise<Core> {
    const key = await this.#storedKey();
    if (key === undefined)
      throw this.#locked('The database is encrypted, and its key is not in this browser any more.');
    try {
      const core = await openInBrowser(this.#settings, key);
      this.#hasUnusedKey = false;
      this.#setState('encrypted');
      return core;
    } catch (error) {
      if (!isKeyError(error)) throw error;
      throw this.#locked('The database is encrypted, and the key that this browser has stored does not open it.');
    }
  }

  async #encrypt(phrase: string): Promise<Reply> {
    if (this.#state !== 'plain')
      return failedWith('conflict', 'The database is encrypted already. Nothing was changed.');
    // Before the database needs it.
    const problem = await this.#keep(phrase);
    if (problem !== undefined) return problem;
    this.#hasUnusedKey = true;
    return converted(await encrypt_opfs(browserOptions(this.#settings, phrase)));
  }

  async #decrypt(): Promise<Reply> {
    if (this.#state !== 'encrypted') return failedWith('not_encrypted', 'The database is not encrypted.');
    const done = await decrypt_opfs(browserOptions(this.#settings, await this.#storedKey()));
    await this.#forget();
    return converted(done);
  }

  async #unlock(phrase: string): Promise<Reply> {
    if (this.#state !== 'locked') return failedWith('conflict', 'The database does not wait for a recovery phrase.');
    try {
      const core = await openInBrowser(this.#settings, phrase);
      core.close();
    } catch (error) {
      if (!isKeyError(error)) throw error;
      return failedWith(
        'wrong_key',
        'This recovery phrase does not open the database. Nothing was changed.',
        'Enter the phrase that was shown when this database was encrypted, not that of another one.',
      );
    }
    return (await this.#keep(phrase)) ?? { isError: false, text: '{}' };
  }

  /** The stored key; `undefined` if it is lost. */
  async #storedKey(): Promise<string | undefined> {
    try {
      return await storedKey(this.#settings.database);
    } catch (error) {
      const problem = `The database is encrypted, and the browser cannot read its key now: ${textOf(error).replace(/\.$/, '')}.`;
      const advice = 'Nothing is lost: close other tabs of this page, make room on the disk, and reload the page.';
      throw new Error(failedWith('key_unavailable', `${problem} ${advice}`).text);
    }
  }

  /** Stores the key. Returns an error if this browser cannot store it. */
  async #keep(phrase: string): Promise<Reply | undefined> {
    try {
      await storeKey(this.#settings.database, phrase);
      return undefined;
    } catch (error) {
      return failedWith(
        'key_not_stored',
        `The browser cannot store the key: ${textOf(error)}. The database was not changed.`,
        'Allow this page to store data, or make room for it, and try again.',
      );
    }
  }

  /** A key that stays opens nothing. */
  async #forget(): Promise<void> {
    this.#hasUnusedKey = false;
    await forgetKey(this.#settings.database).catch(() => {});
  }

  /** The error for every call, until the key is given. */
  #locked(error: string): Error {
    this.#setState('locked');
    const hint = 'Enter the recovery phrase that was shown when the database was encrypted.';
    return new Error(failedWith('database_locked', error, hint).text);
  }

  #setState(state: EncryptionState): void {
    this.#state = state;
    this.#events.onstate(state);
  }
}

function converted(done: EncryptedDatabase): Reply {
  const { rows, unfinished } = done;
  done.free();
  return { isError: false, text: JSON.stringify({ rows, unfinished }) };
}

function isKeyError(error: unknown): boolean {
  const code = knownFailure(error)?.code;
  return code !== undefined && KEY_ERRORS.has(code);
}
