import { describe, expect, it } from 'vitest';
import { formatRoute, parseRoute } from '../../src/app/route.ts';
import { callGraph, relationsOf, type SymbolEdge, type SymbolGraph } from '../../src/views/code/call-model.ts';
import { plainLines, sourceText } from '../../src/views/code/code-pieces.ts';
import {
  depthOf,
  parseCodeUrl,
  placeParams,
  projectOf,
  projectParams,
  qualifiedName,
  searchParams,
  symbolChange,
} from '../../src/views/code/code-url-state.ts';
import { highlightSource } from '../../src/views/code/highlight-source.ts';
import { statusText } from '../../src/views/code/index-status.ts';
import { foldersAbove, type Listing, treeKey, treeRows } from '../../src/views/code/tree-model.ts';
import { edgeStyleOf } from '../../src/views/graph/paint.ts';

describe('the address of the code view', () => {
  it('round-trips a place in a file, whatever its path', () => {
    const params = placeParams('shop', 'a b/ü&x=#y?.rs', 12);
    const { symbol_id, file_path, start_line } = { symbol_id: 'shop:a#b.rs#c', file_path: 'a#b.rs', start_line: 3 };
    const kept = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >;
    const hash = formatRoute({ view: 'code', params: kept, selection: { kind: 'symbol', id: symbol_id } });
    const route = parseRoute(hash);
    expect(parseCodeUrl(route.params)).toMatchObject({ project: 'shop', path: 'a b/ü&x=#y?.rs', line: 12 });
    expect(route.selection).toEqual({ kind: 'symbol', id: symbol_id });
    expect(symbolChange({ symbol_id, file_path, start_line })).toMatchObject({
      view: 'code',
      params: { project: 'shop', path: 'a#b.rs', line: '3', q: undefined },
    });
  });

  it.each(['0', '-3', '1.5', 'x', ''])('ignores the line %s', (line) => {
    expect(parseCodeUrl({ line }).line).toBeUndefined();
  });

  it('a search leaves the drawn calls, and a project everything', () => {
    expect(searchParams('tax', 'text')).toEqual({ q: 'tax', in: undefined, show: undefined });
    expect(searchParams('', 'names')).toEqual({ q: undefined, in: 'names', show: undefined });
    expect(projectParams('shop')).toEqual({
      project: 'shop',
      path: undefined,
      line: undefined,
      q: undefined,
      show: undefined,
    });
    expect(depthOf({ depth: '7' })).toBe('1');
    expect(depthOf({ depth: '3' })).toBe('3');
  });

  it('a symbol has its project before the first colon', () => {
    expect(projectOf('shop:a:b.rs#c')).toBe('shop');
    expect(projectOf('none')).toBe('');
    expect(qualifiedName('shop:a#b.rs#c.d', 'a#b.rs')).toBe('c.d');
    expect(qualifiedName('shop:other.rs#c', 'a.rs')).toBe('shop:other.rs#c');
  });
});

const listing = (folder: string, folders: readonly string[], files: readonly string[], omitted = 0): Listing => {
  const at = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
  return {
    project_id: 'shop',
    folder,
    folders: folders.map((name) => ({ name, path: at(name), files: 2, bytes: 10, language: 'rust' })),
    files: files.map((name) => ({ name, path: at(name), bytes: 5, language: 'rust', symbols: 1, is_pending: false })),
    omitted_files: omitted,
    languages: [],
    pending_files: 0,
  };
};

describe('the tree of files', () => {
  const listings = new Map([
    ['', listing('', ['core', 'web'], ['README.md'])],
    ['core', listing('core', ['deep'], ['cart.rs'], 3)],
  ]);
  const rows = treeRows(listings, new Set(['core', 'web', 'core/deep']));

  it('shows below an expanded folder what it contains, as far as it is listed', () => {
    expect(rows.map(({ path, level }) => `${level} ${path}`)).toEqual([
      '1 core',
      '2 core/deep',
      '2 core/cart.rs',
      '2 core/',
      '1 web',
      '1 README.md',
    ]);
    expect(rows[3]).toMatchObject({ kind: 'omitted', count: 3 });
    expect(treeRows(listings, new Set()).map(({ path }) => path)).toEqual(['core', 'web', 'README.md']);
    expect(treeRows(new Map(), new Set())).toEqual([]);
  });

  it('knows the folders above a file', () => {
    expect(foldersAbove('a/b/c.rs')).toEqual(['a', 'a/b']);
    expect(foldersAbove('c.rs')).toEqual([]);
  });

  it.each([
    [0, 'ArrowDown', { type: 'focus', index: 1 }],
    [0, 'ArrowUp', { type: 'focus', index: 0 }],
    [5, 'ArrowDown', { type: 'focus', index: 5 }],
    [0, 'End', { type: 'focus', index: 5 }],
    [3, 'Home', { type: 'focus', index: 0 }],
    [0, 'ArrowRight', { type: 'focus', index: 1 }],
    [0, 'ArrowLeft', { type: 'toggle', path: 'core' }],
    [2, 'ArrowLeft', { type: 'focus', index: 0 }],
    [2, 'ArrowRight', undefined],
    [2, 'Enter', { type: 'open', path: 'core/cart.rs' }],
    [3, 'Enter', undefined],
    [4, ' ', { type: 'toggle', path: 'web' }],
    [4, 'x', undefined],
  ] as const)('row %i, key %s', (index, key, expected) => {
    expect(treeKey(rows, index, key)).toEqual(expected);
  });

  it('has no keys while it is empty', () => {
    expect(treeKey([], 0, 'Enter')).toBeUndefined();
    expect(treeKey([], 0, 'ArrowLeft')).toBeUndefined();
  });
});

describe('the colours of source code', () => {
  const text = 'fn main() {\n    // one "two"\n    let s = "a\nb";\n\n}';

  it('lose no character, also where a string spans lines', () => {
    for (const language of ['rust', 'python', 'tsx', 'html', 'toml', 'unknown']) {
      const lines = highlightSource(text, language);
      expect(lines.map((line) => line.map((piece) => piece.text).join('')).join('\n')).toBe(text);
    }
  });

  it('mark keywords, comments and strings', () => {
    const lines = highlightSource(text, 'rust');
    const kindOf = (line: number, part: string): string | undefined =>
      lines[line]?.find((piece) => piece.text.includes(part))?.what;
    expect(kindOf(0, 'fn')).toBe('keyword');
    expect(kindOf(1, 'one')).toBe('comment');
    expect([kindOf(2, 'a'), kindOf(3, 'b')]).toEqual(['text', 'text']);
    expect(kindOf(0, 'main')).toBe('name');
  });

  it('are left out of an unknown language and of a very long text', () => {
    expect(highlightSource('fn a() {}', 'unknown')).toEqual(plainLines('fn a() {}'));
    const long = 'fn a() {}\n'.repeat(50_000);
    expect(highlightSource(long, 'rust')[0]).toEqual([{ text: 'fn a() {}', what: 'plain' }]);
  });

  it('lines end with any line break, and the last one starts no line', () => {
    expect(plainLines(sourceText('a\r\nb\n\n'))).toHaveLength(3);
    expect(plainLines(sourceText(''))).toEqual([[]]);
  });
});

const symbol = (id: string) => ({
  symbol_id: id,
  name: id.slice(id.lastIndexOf('#') + 1),
  symbol_type: 'function',
  file_path: 'a.rs',
  start_line: 1,
  end_line: 2,
  signature: '',
});
const edge = (from: string, to: string, tier = 'resolved', type = 'calls', line = 1): SymbolEdge =>
  ({ from, to, type, tier, file_path: 'a.rs', line }) as SymbolEdge;
const answer = (ids: readonly string[], edges: readonly SymbolEdge[]): SymbolGraph =>
  ({
    nodes: ids.map(symbol),
    edges: [...edges],
    frontier: [],
    truncated: false,
    pending_files: 0,
  }) as unknown as SymbolGraph;

const [A, B, C, TOP] = ['p:a.rs#A', 'p:a.rs#B', 'p:a.rs#C', 'p:x/top.rs'];

describe('the drawn calls', () => {
  const graph = callGraph(
    [
      answer([A, B, C], [edge(B, A, 'likely', 'calls', 3), edge(B, A), edge(C, A, 'likely'), edge(TOP, A), edge(A, A)]),
      answer([A, C], [edge(A, C, 'likely'), edge(A, C, 'resolved', 'references')]),
    ],
    A,
  );

  it('have each symbol and each pair once, without calls of itself and without other relations', () => {
    expect(graph.nodes.map(({ name }) => name)).toEqual(['A', 'B', 'C', 'top.rs']);
    expect(graph.edges.map(({ key }) => key)).toEqual([`${B}>${A}`, `${C}>${A}`, `${TOP}>${A}`, `${A}>${C}`]);
    expect(graph.nodes.find(({ isFocus }) => isFocus)).toMatchObject({ id: A, relations: 4 });
  });

  it('are dotted where no call is resolved', () => {
    expect(graph.edges.map(edgeStyleOf)).toEqual(['plain', 'likely', 'plain', 'likely']);
  });
});

describe('the relations of a symbol', () => {
  it('are listed by what they mean, each symbol once', () => {
    const lists = relationsOf(A, [
      answer(
        [A, B, C],
        [
          edge(B, A, 'likely', 'calls', 3),
          edge(B, A, 'resolved', 'calls', 9),
          edge(TOP, A),
          edge(C, A, 'resolved', 'contains'),
        ],
      ),
      answer(
        [A, C],
        [edge(A, C, 'likely'), edge(A, C, 'resolved', 'contains'), edge(B, C), edge(A, B, 'resolved', 'extends')],
      ),
    ]);
    expect(
      lists.map(([title, relations]) => [title, relations.map(({ name, isLikely, more }) => [name, isLikely, more])]),
    ).toEqual([
      [
        'Called by',
        [
          ['B', false, 1],
          ['top.rs', false, 0],
        ],
      ],
      ['Calls', [['C', true, 0]]],
      ['Members', [['C', false, 0]]],
      ['Implements', [['B', false, 0]]],
    ]);
  });
});

describe('the status of an index', () => {
  const status = {
    project_id: 'shop',
    status: 'indexing',
    total_files: 1200,
    indexed_files: 400,
    total_chunks: 10,
    started_at: '',
    progress_percent: 33,
    pending_files: 800,
    pending_embeddings: 0,
    skipped: [],
    skipped_files: 0,
  };

  it.each([
    [{ total_files: 0 }, 'Looking for files…'],
    [{ eta_seconds: 12 }, 'Indexing 400 files of 1,200, 12 s left'],
    [{ eta_seconds: 600 }, 'Indexing 400 files of 1,200, 10 min left'],
    [{ pending_files: 0 }, 'Resolving references…'],
    [{ status: 'completed', pending_embeddings: 1 }, '1,200 files indexed, 1 embedding pending'],
    [{ status: 'completed' }, '1,200 files indexed'],
    [{ status: 'failed', error_message: 'no folder' }, 'Indexing failed: no folder'],
  ])('%j', (part, text) => {
    expect(statusText({ ...status, ...part }, true)).toBe(text);
  });

  it.each([
    [1, '1,200 files indexed for keyword search'],
    [0, '1,200 files indexed'],
  ])('announces no embeddings without an encoder: %d wait', (pending_embeddings, text) => {
    expect(statusText({ ...status, status: 'completed', pending_embeddings }, false)).toBe(text);
  });
});
