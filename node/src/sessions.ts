/** The clients of this process: each has its own protocol state and core session; all share one core. */
import type { McpRequestContext, ServerContext, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { callerOf, clientName, type CompletedCall, handleCalls } from './calls.ts';
import { ConnectedClients, type Owner } from './connected-clients.ts';
import type { CoreThread } from './core-thread.ts';
import { echo, log } from './log.ts';
import type { CoreSession, ToolAccess } from './messages.ts';
import type { Project } from './project.ts';
import { type ProtocolEra, ProtocolServer } from './protocol-server.ts';
import { ResourceLists } from './resource-lists.ts';
import { handleResources } from './resources.ts';
import type { StdioTransport } from './stdio.ts';
import { MAX_CLIENT_STREAMS, Subscriptions } from './subscriptions.ts';
import { SubscribingTransport } from './subscribing-transport.ts';
import type { ToolFilter } from './tool-filter.ts';
import { Watch } from './watch.ts';

/** The session in the call log of requests over HTTP that belong to no session. */
const STATELESS = 'http';
/** Clients on stdio share no state with others. */
const STDIO: Owner = { holder: '', kind: 'stdio', token: undefined };

/** A client of the protocol server. */
interface Client {
  readonly label: string;
  readonly toolFilter: ToolFilter;
  /** Its session in the core; without one, each request names its client. */
  readonly session: CoreSession | undefined;
  readonly subscriptions: Subscriptions;
  /** The project that the client works in; `undefined` if unknown. */
  readonly project: Project | undefined;
  readonly owner: Owner;
  /** Ends the session; not on stdio. */
  readonly end?: () => Promise<void>;
}

/** Owns the clients' sessions. */
export class Sessions {
  /** Called after every completed call. */
  oncompleted: ((call: CompletedCall) => void) | undefined;
  /** Called when the memory has changed other than by a call. */
  onchanged: (() => void) | undefined;
  /** The list of clients. */
  readonly clients = new ConnectedClients();

  readonly #core: CoreThread;
  readonly #lists = new Map<ToolAccess | undefined, ResourceLists>();
  readonly #isCompat: boolean;
  readonly #open = new Set<ProtocolServer>();
  readonly #subscriptions = new Set<Subscriptions>();
  /** Polls for changes by other processes while a client has subscriptions. */
  readonly #watch: Watch;
  #opened = 0;

  /** @param isCompat whether another server is emulated. */
  constructor(core: CoreThread, isCompat: boolean) {
    this.#core = core;
    this.#isCompat = isCompat;
    this.#watch = new Watch(
      () => core.version(),
      () => this.#changed(),
    );
  }

  /** Requests the lists before the first call, so that they do not wait for a long call. */
  prepare(): void {
    this.#listsFor(undefined)
      .known()
      .catch(() => {});
  }

  /** The number of connected clients; those without a session are not counted. */
  get count(): number {
    return this.#open.size;
  }

  /**
   * Serves a client that begins with initialize, until it or the transport closes.
   *
   * @param label the session's label in the call log.
   * @param owner the token that the session belongs to.
   */
  async open(transport: Transport, toolFilter: ToolFilter, label: string, owner: Owner): Promise<void> {
    let server: ProtocolServer | undefined;
    const subscriptions = this.subscriptions(toolFilter, (uri) => notify(server, uri));
    server = this.#server('legacy', {
      toolFilter,
      label,
      session: this.#nextSession('legacy'),
      subscriptions,
      project: undefined,
      owner,
      end: () => transport.close(),
    });
    const { onclose } = server;
    server.onclose = () => {
      onclose?.();
      this.#subscriptions.delete(subscriptions);
    };
    await server.connect(transport);
  }

  /**
   * Serves the client on stdio, which works in a project, in the era that its first message belongs to. Returns a
   * function that ends it.
   */
  openStdio(stdio: StdioTransport, toolFilter: ToolFilter, project: Project): () => Promise<void> {
    let server: ProtocolServer | undefined;
    const subscriptions = this.subscriptions(toolFilter, (uri) => notify(server, uri));
    const factory = ({ era }: McpRequestContext): ProtocolServer => {
      server = this.#server(era, {
        toolFilter,
        label: 'stdio',
        session: this.#nextSession(era),
        subscriptions,
        project,
        owner: STDIO,
      });
      return server;
    };
    const { close } = serveStdio(factory, {
      transport: new SubscribingTransport(stdio, subscriptions),
      maxSubscriptions: MAX_CLIENT_STREAMS,
      onerror: (error) => log(error.message),
    });
    return close;
  }

  /** Makes a server for a request of a client without a session, with the token of `owner`. */
  forRequest(toolFilter: ToolFilter, subscriptions: Subscriptions, owner: Owner): ProtocolServer {
    const session = undefined;
    const project = undefined;
    return this.#server('modern', { toolFilter, label: STATELESS, session, subscriptions, project, owner });
  }

  /** Subscriptions whose client is notified of every change of the memory. */
  subscriptions({ access }: ToolFilter, notify: (uri: string) => void): Subscriptions {
    const subscriptions = new Subscriptions(this.#watch, this.#listsFor(access), notify);
    this.#subscriptions.add(subscriptions);
    return subscriptions;
  }

  #listsFor(access: ToolAccess | undefined): ResourceLists {
    const known = this.#lists.get(access) ?? new ResourceLists(this.#core, access);
    this.#lists.set(access, known);
    return known;
  }

  #nextSession(era: ProtocolEra): CoreSession {
    return { id: String(++this.#opened), isStateless: era === 'modern' };
  }

  /** Notifies subscribers and pages of a change other than by a call. */
  changed(): void {
    this.#changed();
    this.onchanged?.();
  }

  #changed(): void {
    for (const subscriptions of this.#subscriptions) subscriptions.changed();
  }

  #server(era: ProtocolEra, client: Client): ProtocolServer {
    const { label, toolFilter, session, subscriptions, project, owner } = client;
    const core = this.#core;
    const cacheScope = owner.token === undefined ? 'public' : 'private';
    const server = new ProtocolServer(era, toolFilter.lists[era].instructions, cacheScope);
    const sessionOf = (context: ServerContext): CoreSession =>
      // Feedback is kept separately for each kind of client and each token.
      session ?? { id: `client ${owner.holder} ${echo(clientName(server, context))}`, isStateless: true };
    handleCalls(server, {
      core,
      label,
      toolFilter,
      project,
      holder: owner.holder,
      sessionOf,
      onchanged: () => this.#changed(),
      oncompleted: (call) => {
        this.#count(call, client);
        this.oncompleted?.(call);
      },
    });
    const { access } = toolFilter;
    const isCompat = this.#isCompat && access?.user === undefined;
    const { app } = toolFilter.lists[era];
    const lists = this.#listsFor(access);
    handleResources(server, {
      core,
      lists,
      isCompat,
      sessionOf,
      callerOf: (context) => callerOf(server, context, client),
      subscriptions,
      access,
      app,
    });
    server.onerror = (error) => log(error.message);
    if (session === undefined) return server;
    this.#open.add(server);
    const name = (): string => server.getClientVersion()?.name ?? '';
    this.clients.add(session.id, { id: session.id, label, owner, name, end: client.end });
    server.onclose = () => {
      this.#open.delete(server);
      this.clients.remove(session.id);
      subscriptions.close();
      core.endSession(session.id);
    };
    return server;
  }

  /** Counts a call for the list of clients. */
  #count({ client: given }: CompletedCall, { session, label, owner }: Client): void {
    if (session !== undefined) {
      this.clients.called(session.id);
      return;
    }
    const name = echo(given);
    const client = { id: undefined, label, owner, name: () => name, end: undefined };
    this.clients.calledWithoutSession(`${owner.holder} ${name}`, client);
  }
}

function notify(server: ProtocolServer | undefined, uri: string): void {
  // The client may be leaving.
  server?.sendResourceUpdated({ uri }).catch(() => {});
}
