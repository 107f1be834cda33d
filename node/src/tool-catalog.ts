/** The generated tool list and its filtering by toolset and access. */
import { readFileSync } from 'node:fs';
import { packagedFile } from './paths.ts';

/** A tool in MCP's format. The schemas are passed on unchanged. */
export interface Tool {
  readonly name: string;
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean };
  readonly [field: string]: unknown;
}

/** Output schemas in the list of tools. */
export type OutputSchemas = 'full' | 'short' | 'none';

/** Parts of a listed tool that replace the generated ones. */
type Parts = Readonly<Record<string, unknown>>;

/** A generated tool with the metadata for filtering. */
interface Entry extends Tool {
  readonly _limbic: {
    readonly toolset: string;
    /** A second toolset that it is part of. */
    readonly also?: string;
    readonly access: string;
    /** Example arguments. */
    readonly example: unknown;
    /** `false` for a tool that is not offered by default. */
    readonly default?: boolean;
    /** `true` for a writing tool that is also offered with `--read-only`, since some of its calls only read. */
    readonly read_only?: boolean;
    /** `true` for a tool that is offered only if its toolset is named; "all" does not include it. */
    readonly named?: boolean;
    /** `true` for a tool that can be limited to one user. */
    readonly users?: boolean;
    /** `true` for a tool whose purpose is to change the client's session. */
    readonly session?: boolean;
    /** `true` for a tool of another toolset that is offered only together with tools of the code index. */
    readonly code?: boolean;
    /** Parts of the tool in lists for agents. */
    readonly agents?: Parts;
    /** Parts of the tool in lists with short output schemas. */
    readonly short?: Parts;
    /** Parts of the tool in lists with `more_tools`, which shows the omitted tools. */
    readonly brief?: Parts;
  };
}

/** The toolset for pages, whose forms use complete schemas. */
const PAGES = 'explorer';
/** The toolset of the tool that shows the omitted tools. */
const MORE = 'more';
/** The toolset for which source code is read. */
const CODE = 'code';

/** The selection of tools, and how they are listed. */
interface Choice {
  readonly readOnly: boolean;
  /** Whether only tools are chosen that can be limited to one user. */
  readonly user: boolean;
  /** Whether source code is read, without which the tools of the code index do not work. */
  readonly code: boolean;
  /** Default: none for agents, full ones if pages' tools are among them. */
  readonly outputSchemas?: OutputSchemas | undefined;
}

/** Every tool of this build, in reading order. */
export class ToolCatalog {
  readonly #entries: readonly Entry[];

  /** @param json a list as `tools.json` holds it. */
  constructor(json: string) {
    this.#entries = JSON.parse(json) as Entry[];
  }

  /** Reads the list of the package. */
  static fromPackage(): ToolCatalog {
    return new ToolCatalog(readFileSync(packagedFile('tools.json'), 'utf8'));
  }

  /** All tools, without the metadata for filtering. */
  all(): Tool[] {
    return this.#entries.map(({ _limbic, ...tool }) => tool as Tool);
  }

  /** All tools with example arguments, for the explorer's forms. */
  withExamples(): Tool[] {
    return this.#entries.map(({ _limbic, ...tool }) => ({
      ...(tool as Tool),
      _meta: { 'limbic/example': _limbic.example },
    }));
  }

  /** The names of the tools that are of no use to clients without a session. */
  ofSessions(): ReadonlySet<string> {
    return new Set(this.#entries.filter(({ _limbic }) => _limbic.session === true).map(({ name }) => name));
  }

  /** The names of the toolsets, in reading order. */
  toolsets(): string[] {
    return toolsetsOf(this.#entries);
  }

  /** The names of the toolsets with tools that can be limited to one user. */
  toolsetsOfUsers(): string[] {
    return toolsetsOf(this.#entries.filter(({ _limbic }) => _limbic.users === true));
  }

  /**
   * The tools of these toolsets (none: the default ones), without the metadata for filtering.
   */
  choose(chosen: readonly string[], { readOnly, user, code, outputSchemas }: Choice): Tool[] {
    const offered = this.#offered(chosen, readOnly, code).filter(({ _limbic }) => !user || _limbic.users === true);
    const isForPages = chosen.includes(PAGES);
    const isBrief = !isForPages && offered.some(({ _limbic }) => _limbic.toolset === MORE);
    const output = outputSchemas ?? (isForPages ? 'full' : 'none');
    return offered.map(({ _limbic: parts, outputSchema, ...tool }) => {
      const listed = {
        ...tool,
        ...(isForPages ? {} : parts.agents),
        ...(isBrief ? parts.brief : {}),
        ...(output === 'full' ? { outputSchema } : output === 'short' ? parts.short : {}),
      } as Tool;
      return readOnly ? asReadOnly(listed) : listed;
    });
  }

  /** Whether tools of the code index are among those of these toolsets. */
  hasCode(chosen: readonly string[], readOnly: boolean): boolean {
    return this.#offered(chosen, readOnly, true).some(({ _limbic: { toolset } }) => toolset === CODE);
  }

  #offered(chosen: readonly string[], readOnly: boolean, code: boolean): Entry[] {
    const offered = this.#ofToolsets(chosen, readOnly).filter(({ _limbic: { toolset } }) => code || toolset !== CODE);
    const hasCode = offered.some(({ _limbic: { toolset } }) => toolset === CODE);
    return hasCode ? offered : offered.filter(({ _limbic: { code } }) => code !== true);
  }

  #ofToolsets(chosen: readonly string[], readOnly: boolean): Entry[] {
    return this.#entries.filter(({ _limbic: metadata }) => {
      if (readOnly && metadata.access !== 'read' && metadata.read_only !== true) return false;
      if (chosen.length === 0) return metadata.default !== false;
      const names = chosen.map(currentToolset);
      if (names.includes(metadata.toolset) || (metadata.also !== undefined && names.includes(metadata.also)))
        return true;
      return metadata.named !== true && chosen.includes('all');
    });
  }
}

/** The present name of a toolset, which may have a former one: `care` is accepted for one more version. */
export function currentToolset(name: string): string {
  return name === 'care' ? 'advanced' : name;
}

/** The names of the toolsets of these tools, in reading order. */
function toolsetsOf(entries: readonly Entry[]): string[] {
  return [...new Set(entries.flatMap(({ _limbic: { toolset, also } }) => [toolset, also ?? toolset]))];
}

/** A tool with the annotations of a read-only server. */
function asReadOnly(tool: Tool): Tool {
  return { ...tool, annotations: { ...tool.annotations, readOnlyHint: true, destructiveHint: false } };
}
