import { join } from 'node:path';
import type { Plugin } from 'vite';

/** A Vite plugin that replaces modules, except in imports of the replacements themselves. */
export function inPlaceOf(folder: string, others: Readonly<Record<string, string>>): Plugin {
  const replaced = new Map(Object.entries(others).map(([file, other]) => [join(folder, file), join(folder, other)]));
  return {
    name: 'in-place-of',
    enforce: 'pre',
    async resolveId(name, importer) {
      const found = await this.resolve(name, importer, { skipSelf: true });
      return found === null ? null : (replaced.get(found.id) ?? null);
    },
  };
}
