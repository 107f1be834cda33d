/** The list of connected clients, for the explorer. */

/** The authorisation of a client's requests. */
export interface Owner {
  /** Distinguishes tokens: clients of two tokens share no state; empty on stdio. */
  readonly holder: string;
  /** How the client was authorised: by the process that started the server, or by which token. */
  readonly kind: 'stdio' | 'agents' | 'explorer' | 'token';
  /** The name of the named token. */
  readonly token: string | undefined;
}

/** A client as the explorer lists it. */
export interface ListedClient {
  /** Its session; without one, each request is independent, and there is nothing to end. */
  readonly id: string | undefined;
  /** The label of its calls in the call log. */
  readonly label: string;
  /** The name that it gave; empty if it gave none. */
  readonly client: string;
  readonly kind: Owner['kind'];
  readonly token: string | undefined;
  readonly since: string;
  readonly last_call: string | undefined;
  readonly calls: number;
}

/** A client that is connected. */
export interface ConnectedClient {
  readonly id: string | undefined;
  readonly label: string;
  readonly owner: Owner;
  /** The name that it gave. */
  readonly name: () => string;
  /** Ends its session; not on stdio, which ends with the process. */
  readonly end: (() => Promise<void>) | undefined;
}

interface Entry {
  readonly client: ConnectedClient;
  readonly sinceMillis: number;
  lastCallMillis: number | undefined;
  calls: number;
}

/** Clients without a session that are remembered; the least recently used is forgotten for a new one. */
const MAX_STATELESS = 64;
const MAX_NAME_CHARS = 200;

/** Lists the clients of this process, with the number and time of their calls. */
export class ConnectedClients {
  readonly #sessions = new Map<string, Entry>();
  /** Clients without a session, the least recently used first. */
  readonly #stateless = new Map<string, Entry>();

  /** Adds a client with a session. */
  add(id: string, client: ConnectedClient): void {
    this.#sessions.set(id, newEntry(client));
  }

  /** Removes the client of a session that has ended. */
  remove(id: string): void {
    this.#sessions.delete(id);
  }

  /** Counts a call of a client with a session. */
  called(id: string): void {
    const entry = this.#sessions.get(id);
    if (entry !== undefined) count(entry);
  }

  /** Counts a call of a client without a session; `key` distinguishes such clients. */
  calledWithoutSession(key: string, client: ConnectedClient): void {
    const entry = this.#stateless.get(key) ?? newEntry(client);
    count(entry);
    this.#stateless.delete(key);
    this.#stateless.set(key, entry);
    const [oldest] = this.#stateless.keys();
    if (this.#stateless.size > MAX_STATELESS && oldest !== undefined) this.#stateless.delete(oldest);
  }

  /** All clients: those with a session in order of arrival, then the others. */
  list(): ListedClient[] {
    return [...this.#sessions.values(), ...this.#stateless.values()].map(listed);
  }

  /** Ends a session. Returns `undefined` if there is none with this id, `false` if it cannot be ended. */
  async end(id: string): Promise<boolean | undefined> {
    const client = this.#sessions.get(id)?.client;
    if (client === undefined) return undefined;
    await client.end?.();
    return client.end !== undefined;
  }

  /** Ends the sessions of a named token, and forgets its other clients. */
  async endOfToken(name: string): Promise<void> {
    const isOfToken = ({ client: { owner } }: Entry): boolean => owner.token === name;
    for (const [key, entry] of this.#stateless) if (isOfToken(entry)) this.#stateless.delete(key);
    await Promise.all([...this.#sessions.values()].filter(isOfToken).map(({ client }) => client.end?.()));
  }
}

function newEntry(client: ConnectedClient): Entry {
  return { client, sinceMillis: Date.now(), lastCallMillis: undefined, calls: 0 };
}

function count(entry: Entry): void {
  entry.calls += 1;
  entry.lastCallMillis = Date.now();
}

function listed({ client, sinceMillis, lastCallMillis, calls }: Entry): ListedClient {
  return {
    id: client.end === undefined ? undefined : client.id,
    label: client.label,
    client: client.name().slice(0, MAX_NAME_CHARS),
    kind: client.owner.kind,
    token: client.owner.token,
    since: new Date(sinceMillis).toISOString(),
    last_call: lastCallMillis === undefined ? undefined : new Date(lastCallMillis).toISOString(),
    calls,
  };
}
