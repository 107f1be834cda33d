import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { NOTICES_FILE, packageHeadings, thirdPartyNotices } from './third-party.mjs';

/**
 * Plugins for page and workers: together they write the licences of all packages that the build contains.
 *
 * @param more modules of packages that only pages of other builds contain.
 */
export function notices(more: readonly string[] = []): { readonly page: Plugin; readonly worker: () => Plugin } {
  const modules = new Set<string>(more);
  let folder = '';
  const collecting = (name: string): Plugin => ({
    name,
    apply: 'build',
    generateBundle: (_options, bundle) => {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') for (const id of file.moduleIds) modules.add(id);
      }
    },
  });
  return {
    worker: () => collecting('notices-of-workers'),
    page: {
      ...collecting('notices'),
      configResolved: ({ root, build }) => {
        folder = resolve(root, build.outDir);
      },
      closeBundle: () => writeFileSync(join(folder, NOTICES_FILE), thirdPartyNotices(modules)),
    },
  };
}

/** Refuses a page with packages that the notices of the explorer, which was built before, do not name. */
export function noticed(): Plugin {
  let folder = '';
  return {
    name: 'noticed',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = resolve(root, build.outDir);
    },
    generateBundle: (_options, bundle) => {
      const chunks = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const written = new Set(readFileSync(join(folder, NOTICES_FILE), 'utf8').split('\n'));
      const missing = packageHeadings(chunks).filter((heading) => !written.has(heading));
      if (missing.length === 0) return;
      throw new Error(
        `${NOTICES_FILE} lacks ${missing.join(', ')}: add the package where vite.config.ts calls notices()`,
      );
    },
  };
}
