/**
 * Source code that the page itself indexes, from folders that a person opens. It is only read, and forgotten with the
 * page.
 */
import type { SourceFile } from '../core/source-files.ts';
import type { Store } from './store.ts';
import type { Answer, Output, ToolName } from './tools.ts';

export type { SourceFile };

/** A folder that a person has opened. */
export interface OpenedFolder {
  readonly name: string;
  /** Lists the files; again where the browser keeps access to the folder. */
  readonly files: () => Promise<readonly SourceFile[]>;
}

export interface PageCode {
  /** Whether a folder was opened. */
  readonly isOpen: Store<boolean>;
  /**
   * Indexes a folder in place of an earlier one of its name. Never rejects; failures are returned as an error answer.
   */
  add(folder: OpenedFolder): Promise<Answer<Output<'index_project'>>>;
  /** Indexes a folder that was opened again, by the id of its project. */
  update(project: string): Promise<Answer<Output<'index_project'>>>;
}

/** The tools that the page answers from its own index. */
export const PAGE_CODE_TOOLS: ReadonlySet<string> = new Set<ToolName>([
  'index_project',
  'get_index_status',
  'list_projects',
  'delete_project',
  'search_code',
  'search_symbols',
  'symbol_graph',
  'explore_code',
  'explore_source',
]);
