/** The generated tool list and its filtering by toolset and access. */
import { readFileSync } from 'node:fs';
import { packagedFile } from './paths.ts';

/** A tool in MCP's format. The schemas are passed on unchanged. */
export interface Tool {
  readonly name: string;
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean };
  readonly [field: string]: unknown;
}

/** A generated tool with the metadata for filtering. */
interface Entry extends Tool {
  readonly _limbic: {
    readonly toolset: string;
    readonly access: string;
    /** Example arguments. */
    readonly example: unknown;
    /** `false` for a tool that is not offered by default. */
    readonly default?: boolean;
    /** `true` for a writing tool that is also offered with `--read-only`, since some of its calls only read. */
    readonly read_only?: boolean;
    /** `true` for a tool that is offered only if its toolset is named; "all" does not include it. */
    readonly named?: boolean;
  };
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

  /** The names of the toolsets, in reading order. */
  toolsets(): string[] {
    return [...new Set(this.#entries.map((entry) => entry._limbic.toolset))];
  }

  /** The tools of these toolsets (none: the default ones), without the metadata for filtering. */
  choose(chosen: readonly string[], readOnly: boolean): Tool[] {
    return this.#entries
      .filter(({ _limbic: metadata }) => {
        if (readOnly && metadata.access !== 'read' && metadata.read_only !== true) return false;
        if (chosen.includes(metadata.toolset)) return true;
        if (metadata.named === true) return false;
        return chosen.length === 0 ? metadata.default !== false : chosen.includes('all');
      })
      .map(({ _limbic, ...tool }) => (readOnly ? asReadOnly(tool as Tool) : (tool as Tool)));
  }
}

/** A tool with the annotations of a read-only server. */
function asReadOnly(tool: Tool): Tool {
  return { ...tool, annotations: { ...tool.annotations, readOnlyHint: true, destructiveHint: false } };
}
