/** The resources that clients subscribe to. */
import { PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import type { Params } from './protocol-server.ts';
import { isObject } from './exact-json.ts';
import type { ResourceLists } from './resource-lists.ts';
import type { Watch } from './watch.ts';

/** How many `subscriptions/listen` streams may be open at a time. */
export const MAX_STREAMS = 64;
/** How many of them a client may have: a token, or the client on stdio. */
export const MAX_CLIENT_STREAMS = 16;
/** How many resources a stream may have. */
const MAX_URIS = 256;

/** A request of protocol 2026-07-28 that asks for notifications until it is cancelled. */
export interface ListenRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: Params;
}

/** Whether a message is a `subscriptions/listen` request. */
export function isListenRequest(message: unknown): message is ListenRequest {
  if (!isObject(message) || message['method'] !== 'subscriptions/listen' || message['id'] === undefined) return false;
  const { params } = message;
  return isObject(params) && isObject(params['_meta']) && PROTOCOL_VERSION_META_KEY in params['_meta'];
}

/** Why a request that listens cannot be served; `undefined` if it can. */
export function listenProblem({ params }: ListenRequest): string | undefined {
  const { notifications } = params;
  const named = isObject(notifications) ? notifications['resourceSubscriptions'] : undefined;
  if (!Array.isArray(named) || named.length <= MAX_URIS) return undefined;
  const limit = `a stream has at most ${MAX_URIS}: open several streams`;
  return `resourceSubscriptions names ${named.length} resources, and ${limit}`;
}

/** The subscriptions of one client, or of all clients that listen at one HTTP address. */
export class Subscriptions {
  readonly #watch: Watch;
  readonly #lists: ResourceLists;
  readonly #notify: (uri: string) => void;
  readonly #uris = new Map<unknown, readonly string[]>();

  /**
   * @param watch runs while there are subscriptions; its owner calls {@link Subscriptions.changed}.
   * @param notify notifies the client of a changed resource.
   */
  constructor(watch: Watch, lists: ResourceLists, notify: (uri: string) => void) {
    this.#watch = watch;
    this.#lists = lists;
    this.#notify = notify;
  }

  /**
   * Adds resources under a key, which replaces those that the key had. When this resolves, no later change is missed.
   */
  async add(key: unknown, uris: readonly string[]): Promise<void> {
    const isFirst = this.#uris.size === 0;
    this.#uris.set(key, uris);
    if (isFirst) await this.#watch.start();
  }

  /**
   * Adds the resources that a request names, under a key.
   *
   * @returns the request without repeated resources and those that cannot exist: the answer names the subscribed ones.
   */
  async listen<Request extends ListenRequest>(key: unknown, request: Request): Promise<Request> {
    const { notifications } = request.params;
    const named = isObject(notifications) ? notifications['resourceSubscriptions'] : undefined;
    if (!isObject(notifications) || !Array.isArray(named) || !named.every((uri) => typeof uri === 'string')) {
      return request;
    }
    const distinct = [...new Set<string>(named)];
    const types = await Promise.all(distinct.map((uri) => this.#lists.typeOf(uri)));
    const resourceSubscriptions = distinct.filter((_, index) => types[index] !== undefined);
    if (resourceSubscriptions.length > 0) await this.add(key, resourceSubscriptions);
    const params = { ...request.params, notifications: { ...notifications, resourceSubscriptions } };
    return { ...request, params };
  }

  /** Removes the resources of a key. */
  remove(key: unknown): void {
    if (this.#uris.delete(key) && this.#uris.size === 0) this.#watch.stop();
  }

  /** Notifies the client of a change, which may concern every resource. */
  changed(): void {
    for (const uri of new Set([...this.#uris.values()].flat())) this.#notify(uri);
  }

  /** Removes everything: the client is gone. */
  close(): void {
    for (const key of [...this.#uris.keys()]) this.remove(key);
  }
}
