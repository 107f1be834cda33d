/** The state of the code view in the address. */
import type { Selection } from '../../app/route.ts';

type Params = Readonly<Record<string, string>>;
type Change = Record<string, string | undefined>;

/** The target of a search: texts by meaning and words, or the names of symbols. */
export type CodeSearchTarget = 'text' | 'names';

export const CODE_SEARCH_TARGETS: readonly { readonly id: CodeSearchTarget; readonly title: string }[] = [
  { id: 'text', title: 'Code' },
  { id: 'names', title: 'Names' },
];

/** The kind of a selected symbol. */
export const SYMBOL = 'symbol';

export interface CodeUrlState {
  readonly project: string | undefined;
  /** Path of the shown file. */
  readonly path: string | undefined;
  /** The selected line of the file, from 1. */
  readonly line: number | undefined;
  readonly question: string;
  readonly target: CodeSearchTarget;
  /** Whether the calls of the selected symbol are drawn. */
  readonly showsCalls: boolean;
}

export function parseCodeUrl({ project, path, line, q = '', in: target, show }: Params): CodeUrlState {
  const number = Number(line);
  return {
    project: project === '' ? undefined : project,
    path: path === '' ? undefined : path,
    line: Number.isSafeInteger(number) && number > 0 ? number : undefined,
    question: q,
    target: target === 'names' ? 'names' : 'text',
    showsCalls: show === 'calls',
  };
}

/** Parameters that show a project from its start. */
export function projectParams(project: string | undefined): Change {
  return { project, path: undefined, line: undefined, q: undefined, show: undefined };
}

/** Parameters that show a place in a file. */
export function placeParams(project: string, path: string, line?: number): Change {
  return { project, path, line: line === undefined ? undefined : String(line), q: undefined, show: undefined };
}

/** Parameters that search a project; an empty question ends the search. */
export function searchParams(question: string, target: CodeSearchTarget): Change {
  return { q: question === '' ? undefined : question, in: target === 'text' ? undefined : target, show: undefined };
}

/** Where a symbol is defined. */
export interface SymbolLocation {
  readonly symbol_id: string;
  readonly file_path: string;
  readonly start_line: number;
}

/** The change of the route that shows a symbol and its source. */
export function symbolChange(symbol: SymbolLocation): {
  readonly view: 'code';
  readonly params: Change;
  readonly selection: Selection;
} {
  return {
    view: 'code',
    params: placeParams(projectOf(symbol.symbol_id), symbol.file_path, symbol.start_line),
    selection: { kind: SYMBOL, id: symbol.symbol_id },
  };
}

/** The project of a symbol: its id is `project:path#qualified.name`, and a project's id contains no colon. */
export function projectOf(symbolId: string): string {
  return symbolId.slice(0, Math.max(0, symbolId.indexOf(':')));
}

/** The qualified name of a symbol in a file, or the whole id if it is of another file. */
export function qualifiedName(symbolId: string, filePath: string): string {
  const start = `${projectOf(symbolId)}:${filePath}#`;
  return symbolId.startsWith(start) ? symbolId.slice(start.length) : symbolId;
}

/** The depths to which calls are drawn. */
export const DEPTHS = [
  { id: '1', title: '1 step' },
  { id: '2', title: '2 steps' },
  { id: '3', title: '3 steps' },
] as const;

export function depthOf({ depth }: Params): (typeof DEPTHS)[number]['id'] {
  return DEPTHS.find(({ id }) => id === depth)?.id ?? '1';
}

/** Parameters that draw the calls of the selected symbol. */
export function callsParams(project: string): Change {
  return { project, q: undefined, show: 'calls' };
}
