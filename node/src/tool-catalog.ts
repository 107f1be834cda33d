/** The tools that are offered: the generated list, without what was not asked for. */
import { readFileSync } from 'node:fs';
import { packagedFile } from './paths.ts';

/** A tool as MCP shows it. The schemas pass through as they were generated. */
export interface Tool {
  readonly name: string;
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean };
  readonly [field: string]: unknown;
}

/** A tool as it was generated, with what the shell needs to know for choosing. */
interface Entry extends Tool {
  readonly _limbic: {
    readonly toolset: string;
    readonly access: string;
    /** Arguments to try it with. */
    readonly example: unknown;
    /** `false` for a tool that must be asked for. */
    readonly default?: boolean;
    /** `true` for a tool that may write and is offered where the memory is open for reading only: some of its calls only read. */
    readonly read_only?: boolean;
    /** `true` for a tool that is offered only when its toolset is named: "all" leaves it out. */
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

  /** The list that the package was built with. */
  static fromPackage(): ToolCatalog {
    return new ToolCatalog(readFileSync(packagedFile('tools.json'), 'utf8'));
  }

  /** All of it, without the marks for the shell. */
  all(): Tool[] {
    return this.#entries.map(({ _limbic, ...tool }) => tool as Tool);
  }

  /** All of it, each with arguments to try it with: for people, who see a form. */
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

  /** The tools of these toolsets (none: the default ones), without the marks for the shell. */
  choose(chosen: readonly string[], readOnly: boolean): Tool[] {
    return this.#entries
      .filter(({ _limbic: marks }) => {
        if (readOnly && marks.access !== 'read' && marks.read_only !== true) return false;
        if (chosen.includes(marks.toolset)) return true;
        if (marks.named === true) return false;
        return chosen.length === 0 ? marks.default !== false : chosen.includes('all');
      })
      .map(({ _limbic, ...tool }) => (readOnly ? asReadOnly(tool as Tool) : (tool as Tool)));
  }
}

/** A tool where the memory is open for reading only: there it changes nothing. */
function asReadOnly(tool: Tool): Tool {
  return { ...tool, annotations: { ...tool.annotations, readOnlyHint: true, destructiveHint: false } };
}
