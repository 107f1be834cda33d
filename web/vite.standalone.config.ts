import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { inPlaceOf } from './build/in-place-of.ts';
import { oneFile } from './build/one-file.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What the page that stands alone has of its own in place of the explorer's. */
const OWN = {
  'registry.ts': 'standalone/registry.ts',
  'app/global-overlays.tsx': 'standalone/replacements.tsx',
  'files/memory-menu.tsx': 'standalone/replacements.tsx',
  'files/empty-memory.tsx': 'standalone/replacements.tsx',
  'views/graph/layout-thread.ts': 'standalone/layout-thread.ts',
};

/** The template of `limbic-memory export --html`: one page that opens from disk. */
export default defineConfig({
  plugins: [
    inPlaceOf(here('src'), OWN),
    react(),
    oneFile('standalone.html', here('standalone.html'), here('public/icon.svg')),
  ],
  resolve: { alias: { 'limbic-pkg': here('../pkg'), 'limbic-shell': here('../crates/wasm/js') } },
  publicDir: false,
  build: {
    target: 'es2022',
    // Beside the explorer, which is built before.
    outDir: 'dist',
    emptyOutDir: false,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      input: here('src/standalone/main.tsx'),
      output: { format: 'iife', codeSplitting: false },
      transform: { define: { 'import.meta': '{}' } },
    },
  },
});
