/** The files of opened folders, as the core reads them. */
import { readFileSync } from 'node:fs';
import type { CodeModule } from 'limbic-shell/code-module.ts';
import { describe, expect, it } from 'vitest';
import { needsMore, projectPath, SourceFiles } from '../../src/core/source-files.ts';
import { droppedFolders, folderOfList } from '../../src/files/open-folder.ts';

const HOST = new URL('../../../crates/wasm/core/src/code_host.rs', import.meta.url);

/** The names of the methods that the module imports of its host of source code. */
function imported(): string[] {
  const methods = readFileSync(HOST, 'utf8').matchAll(
    /#\[wasm_bindgen\(method, structural(?:, catch)?(?:, js_name = (\w+))?\)\]\s+fn (\w+)\(this: &CodeHost\b/g,
  );
  return [...methods].map(([, named, name]) => named ?? name ?? '');
}

/** A module that says of each method what it was called with. */
function parser(name: string): CodeModule {
  const bytesOf = (...parts: unknown[]): Uint8Array => new TextEncoder().encode([name, ...parts].join(' '));
  return {
    needsMore: (path: string, content: Uint8Array) => path.endsWith('.rb') || content.length > 0,
    extract: (path: string) => bytesOf('extract', path),
  } as unknown as CodeModule;
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const CONTENT = new Map<Blob, string>();

function file(name: string, content: string): File {
  const made = new File([content], name, { lastModified: 5 });
  CONTENT.set(made, content);
  return made;
}

function readSync(blob: Blob): Uint8Array {
  const content = CONTENT.get(blob);
  if (content === undefined) throw new Error('NotReadableError');
  return new TextEncoder().encode(content);
}

function shop(): SourceFiles {
  const files = new SourceFiles({ first: parser('first'), more: undefined }, new Uint8Array([1]), readSync);
  files.put('shop', [
    { path: 'a.py', file: file('a.py', 'abc') },
    { path: 'lib/b.rb', file: file('b.rb', 'd') },
  ]);
  return files;
}

describe('the files of opened folders', () => {
  it('have every method that the module imports', () => {
    expect(imported()).toContain('addRules');
    const files = shop() as unknown as Record<string, unknown>;
    for (const name of imported()) expect(files[name], name).toBeTypeOf('function');
  });

  it('are listed, measured and read by their paths', () => {
    const files = shop();
    const root = projectPath('shop');
    expect(text(files.list(root, ''))).toBe('fa.py\0dlib\0');
    expect(text(files.list(root, 'lib'))).toBe('fb.rb\0');
    expect(files.stat(root, 'a.py')).toEqual({ kind: 'f', size: 3, mtime: 5_000_000n });
    expect(files.stat(root, 'lib')).toMatchObject({ kind: 'd' });
    expect(text(files.read(root, 'lib/b.rb'))).toBe('d');
    expect(files.realPath('/code', root)).toBe(root);
    for (const path of ['.git', 'lib/c.rb', '../shopping']) {
      expect(() => files.realPath(root, path)).toThrow(expect.objectContaining({ kind: 'missing' }));
    }
  });

  it('are replaced with their project, and a file that cannot be read any more says what to do', () => {
    const files = shop();
    const root = projectPath('shop');
    files.put('shopping', [{ path: 'x.py', file: new File(['x'], 'x.py') }]);
    files.put('shop', [{ path: 'c.py', file: file('c.py', 'c') }]);
    expect(text(files.list(root, ''))).toBe('fc.py\0');
    expect(() => files.list(root, 'lib')).toThrow(expect.objectContaining({ kind: 'missing' }));
    expect(() => files.read(projectPath('shopping'), 'x.py')).toThrow(
      expect.objectContaining({ kind: 'other', message: expect.stringContaining('open the folder again') }),
    );
  });

  it('are parsed by the module for their language, once it is loaded', () => {
    const files = shop();
    const bytes = new Uint8Array(0);
    expect(text(files.extract('lib/b.rb', bytes))).toBe('first extract lib/b.rb');
    files.parsers = { first: parser('first'), more: parser('more') };
    expect(text(files.extract('lib/b.rb', bytes))).toBe('more extract lib/b.rb');
    expect(text(files.extract('a.py', bytes))).toBe('first extract a.py');
    const first = parser('first');
    expect(needsMore(first, { path: 'x/b.rb', file: file('b.rb', '') }, readSync)).toBe(true);
    expect(needsMore(first, { path: 'x/b.py', file: file('b.py', 'text') }, readSync)).toBe(false);
    const script = file('run', '#!/bin/sh');
    expect(needsMore(first, { path: 'run', file: script }, () => readSync(script))).toBe(true);
    expect(needsMore(first, { path: 'run', file: script }, readSync)).toBe(false);
  });

  it('are those of a list of a folder without folders that are not source', async () => {
    const listed = ['shop/a.py', 'shop/node_modules/m.js', 'shop/lib/.git/config', 'shop/lib/b.rb'].map((path) =>
      Object.assign(new File([''], 'any'), { webkitRelativePath: path }),
    );
    const folder = folderOfList(listed);
    expect(folder?.name).toBe('shop');
    expect((await folder?.files())?.map(({ path }) => path)).toEqual(['a.py', 'lib/b.rb']);
    expect(folderOfList([])).toBeUndefined();
  });
});

it('dropped folders of one name do not replace each other', () => {
  const items = ['src', 'src', 'src (2)', 'docs'].map((name) => ({
    webkitGetAsEntry: () => ({ name, isDirectory: true }),
  }));
  const names = droppedFolders({ items, files: [] } as unknown as DataTransfer).map(({ name }) => name);
  expect(names).toEqual(['src', 'src (3)', 'src (2)', 'docs']);
});
