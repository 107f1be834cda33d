/** The in-memory files implement the interface of the core's module. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MemoryFiles } from '../../src/core/memory-files.ts';

const HOST = new URL('../../../crates/wasm/core/src/file_host.rs', import.meta.url);

/** The names of the methods that the module imports of its file host. */
function imported(): string[] {
  const methods = readFileSync(HOST, 'utf8').matchAll(
    /#\[wasm_bindgen\(method, structural(?:, catch)?(?:, js_name = (\w+))?\)\]\s+fn (\w+)\(this: &FileHost\b/g,
  );
  return [...methods].map(([, named, name]) => named ?? name ?? '');
}

it('they have every method that the module imports', () => {
  const names = imported();
  expect(names).toContain('readAt');
  expect(names).toContain('fileSystem');
  const files = new MemoryFiles() as unknown as Record<string, unknown>;
  expect(names.filter((name) => typeof files[name] !== 'function')).toEqual([]);
});

it('an open file is distinguished from another one that takes its path', () => {
  const files = new MemoryFiles();
  const inode = (stat: object | undefined): unknown => (stat as { inode: number } | undefined)?.inode;
  const open = files.open('/limbic/a', 'create');
  expect(inode(files.statOpen(open))).toBe(inode(files.stat('/limbic/a')));
  files.delete('/limbic/a');
  files.create('/limbic/a', new Uint8Array(1));
  expect(inode(files.statOpen(open))).not.toBe(inode(files.stat('/limbic/a')));
});

it('a renamed file takes the place of the one with that name', () => {
  const files = new MemoryFiles();
  files.create('/limbic/a', new Uint8Array([1]));
  files.create('/limbic/b', new Uint8Array([2]));
  files.rename('/limbic/a', '/limbic/b');
  expect([...files.read('/limbic/b')]).toEqual([1]);
  expect(files.list('/limbic')).toEqual(['b']);
  expect([...files.snapshot()]).toEqual([['/limbic/b', new Uint8Array([1])]]);
});
