import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { NOTICES_FILE, thirdPartyNotices } from './third-party.mjs';

/** Plugins for page and workers: together they write the licences of all packages that the build contains. */
export function notices(): { readonly page: Plugin; readonly worker: () => Plugin } {
  const modules = new Set<string>();
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
