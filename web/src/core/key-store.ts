/**
 * The key of the encrypted database, in IndexedDB.
 *
 * It is stored as its recovery phrase, encrypted with AES-GCM by a key that WebCrypto does not export. `web/README.md`
 * describes what this protects against.
 */

const DATABASE = 'limbic-keys';
const STORE = 'keys';
const ALGORITHM = 'AES-GCM';
const KEY_BITS = 256;
/** The length that the standard recommends for the initialisation vector. */
const VECTOR_BYTES = 12;

interface StoredKey {
  /** Not extractable. */
  readonly wrappingKey: CryptoKey;
  readonly vector: Uint8Array<ArrayBuffer>;
  readonly wrapped: ArrayBuffer;
}

/** Stores the key of a database. Rejects if the browser cannot store it. */
export async function storeKey(database: string, phrase: string): Promise<void> {
  const wrappingKey = await crypto.subtle.generateKey({ name: ALGORITHM, length: KEY_BITS }, false, [
    'encrypt',
    'decrypt',
  ]);
  const vector = crypto.getRandomValues(new Uint8Array(VECTOR_BYTES));
  const wrapped = await crypto.subtle.encrypt(
    parameters(database, vector),
    wrappingKey,
    new TextEncoder().encode(phrase),
  );
  const stored: StoredKey = { wrappingKey, vector, wrapped };
  await inStore('readwrite', (store) => store.put(stored, database));
}

/**
 * The key of a database; `undefined` if it is lost: this browser has none, or what it has is not the key of this
 * database. Rejects if the browser cannot read what it has stored, which may pass.
 */
export async function storedKey(database: string): Promise<string | undefined> {
  const stored = (await inStore('readonly', (store) => store.get(database))) as StoredKey | undefined;
  if (stored === undefined) return undefined;
  try {
    const { wrappingKey, vector, wrapped } = stored;
    return new TextDecoder().decode(await crypto.subtle.decrypt(parameters(database, vector), wrappingKey, wrapped));
  } catch {
    return undefined;
  }
}

export async function forgetKey(database: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(database));
}

/** The name of the database is authenticated: its key is not used for another one. */
function parameters(database: string, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  return { name: ALGORITHM, iv, additionalData: new TextEncoder().encode(database) };
}

/**
 * Runs one request in a transaction of its own, and waits until it is on the disk. Rejects if the store cannot be used.
 */
async function inStore<T>(mode: IDBTransactionMode, run: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const keys = await openStore();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = keys.transaction(STORE, mode, { durability: 'strict' });
      const request = run(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new Error('the browser ended the transaction'));
    });
  } finally {
    keys.close();
  }
}

function openStore(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    let isBlocked = false;
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    opening.onsuccess = () => {
      // Nobody waits for it any more, and an open one would block others.
      if (isBlocked) opening.result.close();
      else resolve(opening.result);
    };
    opening.onerror = () => reject(opening.error ?? new Error('the browser cannot open its store of keys'));
    opening.onblocked = () => {
      isBlocked = true;
      reject(new Error('another tab holds the store of keys'));
    };
  });
}
