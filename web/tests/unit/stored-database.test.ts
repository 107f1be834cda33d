import { knownFailure } from 'limbic-shell/failure.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { storedKey, storeKey } from '../../src/core/key-store.ts';
import type { CoreSettings, EncryptionState } from '../../src/core/messages.ts';
import { StoredDatabase } from '../../src/core/stored-database.ts';
import { FakeIndexedDb, type KeyStoreFault } from '../fake/fake-indexed-db.ts';

const PHRASE = 'the phrase';

/** A core that opens an encrypted database with one phrase. */
const core = vi.hoisted(() => ({ close: () => {}, unfinished: undefined as string | undefined }));

vi.mock('limbic-pkg/core/limbic_core.js', () => ({ encrypt_opfs: undefined, decrypt_opfs: undefined }));
vi.mock('../../src/core/database.ts', () => ({
  browserOptions: () => '',
  openInBrowser: async (_: CoreSettings, key?: string) => {
    if (key === PHRASE) return core;
    const code = key === undefined ? 'encrypted_database' : 'wrong_key';
    throw new Error(JSON.stringify({ error: 'it does not open', code }));
  },
}));

let keys: FakeIndexedDb;

beforeEach(() => {
  keys = new FakeIndexedDb();
  core.unfinished = undefined;
  vi.stubGlobal('indexedDB', keys);
});

afterEach(() => vi.unstubAllGlobals());

function stored() {
  const states: EncryptionState[] = [];
  const unfinished: string[] = [];
  const database = new StoredDatabase({ database: 'm.db' } as CoreSettings, {
    onstate: (state) => states.push(state),
    onunfinished: (text) => unfinished.push(text),
  });
  return { database, states, unfinished };
}

/** The error of an opening. */
async function refusal(database: StoredDatabase) {
  return knownFailure(
    await database.open().then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
}

describe('the key of an encrypted database', () => {
  it('is stored, read again and no key of another database', async () => {
    await storeKey('m.db', PHRASE);
    expect(await storedKey('m.db')).toBe(PHRASE);
    expect(await storedKey('other.db')).toBeUndefined();
    keys.values.set('other.db', keys.values.get('m.db'));
    expect(await storedKey('other.db')).toBeUndefined();
    expect(keys.connections).toBe(0);
  });

  it('opens the database', async () => {
    await storeKey('m.db', PHRASE);
    const { database, states, unfinished } = stored();
    expect(await database.open()).toBe(core);
    expect([states, unfinished]).toEqual([['encrypted'], []]);
  });

  it.each<[KeyStoreFault, string]>([
    ['blocked', 'another tab holds the store of keys'],
    ['no-open', 'Internal error opening backing store.'],
    ['aborted', 'The quota is exceeded.'],
    ['refused', 'The operation is insecure.'],
  ])('is not lost while the store of keys fails (%s)', async (fault, message) => {
    await storeKey('m.db', PHRASE);
    keys.fault = fault;
    const { database, states } = stored();
    const failure = await refusal(database);
    expect(failure).toMatchObject({ code: 'key_unavailable' });
    expect(failure?.error).toContain(message);
    expect(failure?.error).not.toContain('..');
    // No recovery phrase is asked for.
    expect(states).toEqual([]);
    keys.fault = undefined;
    keys.unblock();
    expect(keys.connections).toBe(0);
    expect(await database.open()).toBe(core);
    expect(states).toEqual(['encrypted']);
  });

  it('is lost if the store has none, or one that opens nothing', async () => {
    const { database, states } = stored();
    expect(await refusal(database)).toMatchObject({ code: 'database_locked' });
    await storeKey('m.db', 'another phrase');
    expect(await refusal(database)).toMatchObject({ code: 'database_locked' });
    expect(states).toEqual(['locked', 'locked']);
    expect(await database.run({ what: 'unlock', phrase: PHRASE })).toEqual({ isError: false, text: '{}' });
    expect(await database.open()).toBe(core);
  });

  it('is needed to decrypt, which fails while the store of keys fails', async () => {
    await storeKey('m.db', PHRASE);
    const { database } = stored();
    await database.open();
    keys.fault = 'no-open';
    const reply = await database.run({ what: 'decrypt' });
    expect(reply.isError && JSON.parse(reply.text)).toMatchObject({ code: 'key_unavailable' });
  });
});

describe('a database that opens', () => {
  it('says that a former file remains', async () => {
    await storeKey('m.db', PHRASE);
    core.unfinished = 'a file could not be removed';
    const { database, unfinished } = stored();
    await database.open();
    expect(unfinished).toEqual(['a file could not be removed']);
  });
});
