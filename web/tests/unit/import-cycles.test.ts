import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDERS = [
  'web/src',
  'web/sample',
  'web/build',
  'web/tests',
  'node/src',
  'crates/wasm/js',
  'tests/node',
  'tests/browser',
];

/** Folders whose subfolders contain packages and output, or whose files import few others. */
const FLAT_FOLDERS = ['node', 'web', 'tests/bench', 'tests/encoder'];

/** Files with the files that they import, be it for a type only or when it is first needed. */
type Imports = ReadonlyMap<string, readonly string[]>;

/**
 * Relative imports: `import … from`, `export … from`, `import '…'` and `import('…')`, the last by the name of the
 * bundle in Node.
 */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+\.(?:tsx?|m?js))'/g;

function importsBelow(folder: string, recursive = true): Imports {
  const names = readdirSync(join(ROOT, folder), { recursive })
    .map(String)
    .filter((name) => /\.(?:tsx?|m?js)$/.test(name) && !name.includes('node_modules'));
  return new Map(
    names.map((name) => {
      const file = join(ROOT, folder, name);
      const found = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, path = '']) =>
        relative(ROOT, join(dirname(file), path.replace(/\.js$/, '.ts'))),
      );
      return [relative(ROOT, file), found];
    }),
  );
}

/** For each cycle, a path of imports from a file back to itself. */
function cyclesIn(imports: Imports): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    const start = way.indexOf(file);
    if (start >= 0) cycles.push([...way.slice(start), file].join(' -> '));
    if (start >= 0 || done.has(file)) return;
    for (const other of imports.get(file) ?? []) visit(other, [...way, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return cycles;
}

describe('imports', () => {
  it.each(FOLDERS)('have no cycle in %s', (folder) => {
    const imports = importsBelow(folder);
    expect([...imports.values()].flat(), 'imports are found').not.toEqual([]);
    expect(cyclesIn(imports)).toEqual([]);
  });

  it('have no cycle in or between all folders', () => {
    const imports = [
      ...FOLDERS.map((folder) => importsBelow(folder)),
      ...FLAT_FOLDERS.map((folder) => importsBelow(folder, false)),
    ];
    expect(cyclesIn(new Map(imports.flatMap((map) => [...map])))).toEqual([]);
  });

  it('cycles are detected', () => {
    const imports = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', []],
    ]);
    expect(cyclesIn(imports)).toEqual(['a -> b -> c -> a']);
  });
});
