/** Resources: what a client reads, and is told of when it changes, without calling a tool. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { CoreThread } from './core-thread.ts';
import { ProtocolError } from './protocol-error.ts';
import type { Tool } from './surface.ts';

/** A resource as MCP lists it. */
interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

/** Offers the core's resources to a client, and keeps which of them it wants to hear of. */
export class Resources {
  readonly #core: CoreThread;
  readonly #server: Server;
  readonly #tools: () => Promise<Tool[]>;
  readonly #subscribed = new Set<string>();
  /** Asked for before the first subscription takes effect: a notice must not wait behind calls. */
  #known: readonly Resource[] = [];
  #reading: ReadonlySet<string> = new Set();

  /** @param tools the tools that are offered. */
  constructor(core: CoreThread, server: Server, tools: () => Promise<Tool[]>) {
    this.#core = core;
    this.#server = server;
    this.#tools = tools;
    server.setRequestHandler(ListResourcesRequestSchema, async () => ({ resources: await this.#list() }));
    server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] }));
    server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => this.#read(params.uri));
    server.setRequestHandler(SubscribeRequestSchema, ({ params }) => this.#subscribe(params.uri));
    server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
      this.#subscribed.delete(params.uri);
      return {};
    });
  }

  /** A tool has done its work: who subscribed is told, unless it is one that only reads. */
  called(tool: unknown): void {
    if (this.#subscribed.size === 0 || this.#reading.has(String(tool))) return;
    for (const { uri } of this.#known) {
      if (this.#subscribed.has(uri)) void this.#server.sendResourceUpdated({ uri });
    }
  }

  async #subscribe(uri: string): Promise<Record<string, never>> {
    this.#known = await this.#list();
    const reading = (await this.#tools()).filter((tool) => tool.annotations.readOnlyHint);
    this.#reading = new Set(reading.map((tool) => tool.name));
    this.#subscribed.add(uri);
    return {};
  }

  async #list(): Promise<Resource[]> {
    return JSON.parse(await this.#core.resources()) as Resource[];
  }

  async #read(uri: string): Promise<{ contents: { uri: string; mimeType: string; text: string }[] }> {
    const known = (await this.#list()).find((resource) => resource.uri === uri);
    const answer = await this.#core.resource(uri);
    const value: unknown = JSON.parse(answer.text);
    if (known === undefined || answer.isError) {
      const { error } = value as { error: string };
      throw new ProtocolError(known === undefined ? ErrorCode.InvalidParams : ErrorCode.InternalError, error);
    }
    return { contents: [{ uri, mimeType: known.mimeType, text: JSON.stringify(value, undefined, 2) }] };
  }
}
