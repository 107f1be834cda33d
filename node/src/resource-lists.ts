import type { CoreThread } from './core-thread.ts';
import type { ToolAccess } from './messages.ts';

/** The resource and prompt lists of MCP. */
interface Lists {
  readonly resources: readonly { readonly uri: string; readonly mimeType: string }[];
  readonly resourceTemplates: readonly { readonly uriTemplate: string; readonly mimeType: string }[];
  readonly prompts: readonly unknown[];
}

/** Caches the resource and prompt lists, which are the same for every client with one access. */
export class ResourceLists {
  readonly #core: CoreThread;
  readonly #access: ToolAccess | undefined;
  #lists: Promise<Lists> | undefined;

  constructor(core: CoreThread, access: ToolAccess | undefined) {
    this.#core = core;
    this.#access = access;
  }

  /** Requests the lists once; a failure is not cached. */
  known(): Promise<Lists> {
    this.#lists ??= this.#core.resources(this.#access).then(
      (text) => JSON.parse(text) as Lists,
      (error: unknown) => {
        this.#lists = undefined;
        throw error;
      },
    );
    return this.#lists;
  }

  /** The MIME type of a resource, or `undefined` if no resource can have this URI. */
  async typeOf(uri: string): Promise<string | undefined> {
    const { resources, resourceTemplates } = await this.known();
    const template = resourceTemplates.find(({ uriTemplate }) => uri.startsWith(uriTemplate.replace(/\{.*$/s, '')));
    return resources.find((resource) => resource.uri === uri)?.mimeType ?? template?.mimeType;
  }
}
