import { defineConfig } from 'vite';
import { onePage } from './build/one-page.ts';

/** Modules of the standalone page that replace the explorer's. */
const own = {
  'registry.ts': 'standalone/registry.ts',
  'app/global-overlays.tsx': 'standalone/replacements.tsx',
  'files/memory-menu.tsx': 'standalone/replacements.tsx',
  'files/empty-memory.tsx': 'standalone/replacements.tsx',
  'views/graph/layout-thread.ts': 'standalone/layout-thread.ts',
};

/** The template of `limbic-memory export --html`: one page that opens from disk. */
export default defineConfig(onePage({ name: 'standalone.html', main: 'standalone/main.tsx', own }));
