/** Resources and prompts: what a client reads, and is told of when it changes, without calling a tool. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  type ServerResult,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Answer, CoreThread } from './core-thread.ts';
import { echo } from './log.ts';
import { ProtocolError } from './protocol-error.ts';
import type { Tool } from './tool-catalog.ts';
import type { Watch } from './watch.ts';

/** The resource and prompt lists of MCP. */
interface Lists {
  readonly resources: readonly { readonly uri: string; readonly mimeType: string }[];
  readonly resourceTemplates: readonly { readonly uriTemplate: string; readonly mimeType: string }[];
  readonly prompts: readonly unknown[];
}

/** MCP's error code for an unknown resource. */
const RESOURCE_NOT_FOUND = -32002;

/** Caches the resource and prompt lists, which are the same for every client. */
export class ResourceLists {
  readonly #core: CoreThread;
  #lists: Promise<Lists> | undefined;

  constructor(core: CoreThread) {
    this.#core = core;
  }

  /** Requests the lists once; a failure is not cached. */
  known(): Promise<Lists> {
    this.#lists ??= this.#core.resources().then(
      (text) => JSON.parse(text) as Lists,
      (error: unknown) => {
        this.#lists = undefined;
        throw error;
      },
    );
    return this.#lists;
  }
}

/** The dependencies of {@link Resources}. */
interface ResourcesOptions {
  readonly core: CoreThread;
  /** The client's session in the core. */
  readonly session: string;
  readonly server: Server;
  readonly lists: ResourceLists;
  /** The tools that are offered. */
  readonly tools: () => Promise<Tool[]>;
  /** Whether another server is emulated; those do not use MCP's code for an unknown resource. */
  readonly isCompat: boolean;
  /** Runs while the client has subscriptions; its owner calls {@link Resources.changed}. */
  readonly watch: Watch;
}

/** Serves the core's resources to a client and manages its subscriptions. */
export class Resources {
  readonly #core: CoreThread;
  readonly #server: Server;
  readonly #tools: () => Promise<Tool[]>;
  readonly #isCompat: boolean;
  readonly #watch: Watch;
  readonly #subscribed = new Set<string>();
  readonly #lists: ResourceLists;
  #reading: ReadonlySet<string> = new Set();

  constructor({ core, session, server, lists, tools, isCompat, watch }: ResourcesOptions) {
    this.#core = core;
    this.#lists = lists;
    this.#server = server;
    this.#tools = tools;
    this.#isCompat = isCompat;
    this.#watch = watch;
    server.setRequestHandler(ListResourcesRequestSchema, async () => {
      const { resources } = await this.#lists.known();
      return { resources } as unknown as ServerResult;
    });
    server.setRequestHandler(ListResourceTemplatesRequestSchema, async () => {
      const { resourceTemplates } = await this.#lists.known();
      return { resourceTemplates } as unknown as ServerResult;
    });
    server.setRequestHandler(ListPromptsRequestSchema, async () => {
      const { prompts } = await this.#lists.known();
      return { prompts } as unknown as ServerResult;
    });
    server.setRequestHandler(GetPromptRequestSchema, async ({ params }) => {
      return this.#value(
        await core.prompt(params.name, JSON.stringify(params.arguments ?? {}), session),
      ) as ServerResult;
    });
    server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => this.#read(params.uri));
    server.setRequestHandler(SubscribeRequestSchema, ({ params }) => this.#subscribe(params.uri));
    server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
      this.#unsubscribe([params.uri]);
      return {};
    });
    server.setRequestHandler(CompleteRequestSchema, async ({ params: { ref, argument, context } }) => {
      const template = 'uri' in ref ? ref.uri : `prompt:${ref.name}`;
      const known = JSON.stringify(context?.arguments ?? {});
      return {
        completion: this.#value(await core.complete(template, argument.name, argument.value, known)),
      } as ServerResult;
    });
  }

  /** Notifies the client after a call of a tool that may write. */
  onCallCompleted(tool: unknown): void {
    if (!this.#reading.has(String(tool))) this.changed();
  }

  /** Notifies the client about its subscribed resources. */
  changed(): void {
    for (const uri of this.#subscribed) void this.#server.sendResourceUpdated({ uri });
  }

  /** The client is gone. */
  close(): void {
    this.#unsubscribe([...this.#subscribed]);
  }

  #unsubscribe(uris: readonly string[]): void {
    const before = this.#subscribed.size;
    for (const uri of uris) this.#subscribed.delete(uri);
    if (before > 0 && this.#subscribed.size === 0) this.#watch.stop();
  }

  async #subscribe(uri: string): Promise<Record<string, never>> {
    if ((await this.#typeOf(uri)) === undefined) {
      // The reference server accepts any URI and never sends notifications for most.
      if (this.#isCompat) return {};
      throw new ProtocolError(RESOURCE_NOT_FOUND, `Resource ${echo(uri)} not found`);
    }
    const reading = (await this.#tools()).filter((tool) => tool.annotations.readOnlyHint);
    this.#reading = new Set(reading.map((tool) => tool.name));
    if (this.#subscribed.size === 0) {
      this.#subscribed.add(uri);
      // Changes after the answer must not be missed.
      await this.#watch.start();
    }
    this.#subscribed.add(uri);
    return {};
  }

  /** The MIME type of a resource, or `undefined` if no resource can have this URI. */
  async #typeOf(uri: string): Promise<string | undefined> {
    const { resources, resourceTemplates } = await this.#lists.known();
    const template = resourceTemplates.find(({ uriTemplate }) => uri.startsWith(uriTemplate.replace(/\{.*$/s, '')));
    return resources.find((resource) => resource.uri === uri)?.mimeType ?? template?.mimeType;
  }

  async #read(uri: string): Promise<ServerResult> {
    const mimeType = await this.#typeOf(uri);
    const answer = await this.#core.resource(uri);
    if (answer.isError) this.#value(answer);
    return { contents: [{ uri, mimeType, text: answer.text }] };
  }

  #value(answer: Answer): unknown {
    const value = JSON.parse(answer.text) as { readonly error: string; readonly code: string };
    if (!answer.isError) return value;
    const notFound = this.#isCompat ? ErrorCode.InvalidParams : RESOURCE_NOT_FOUND;
    const codes: Record<string, number> = { resource_not_found: notFound, invalid_argument: ErrorCode.InvalidParams };
    throw new ProtocolError(codes[value.code] ?? ErrorCode.InternalError, value.error);
  }
}
