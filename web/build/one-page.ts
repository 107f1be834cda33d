import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { PluginOption, UserConfig } from 'vite';
import { inPlaceOf } from './in-place-of.ts';
import { oneFile } from './one-file.ts';

const web = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** A page that is one file. */
interface OnePage {
  /** The name of its template and of the file in `dist`. */
  readonly name: string;
  /** Its script, in `src`. */
  readonly main: string;
  /** Modules in `src`, with those that replace them. */
  readonly own: Readonly<Record<string, string>>;
  readonly plugins?: readonly PluginOption[];
}

/** The configuration of a page that is one file, beside the explorer, which is built before. */
export function onePage({ name, main, own, plugins = [] }: OnePage): UserConfig {
  return {
    plugins: [inPlaceOf(web('src'), own), ...plugins, react(), oneFile(name, web(name), web('public/icon.svg'))],
    resolve: { alias: { 'limbic-pkg': web('../pkg'), 'limbic-shell': web('../crates/wasm/js') } },
    publicDir: false,
    build: {
      target: 'es2022',
      outDir: 'dist',
      emptyOutDir: false,
      cssCodeSplit: false,
      modulePreload: false,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 2000,
      rolldownOptions: {
        input: web(`src/${main}`),
        output: { format: 'iife', codeSplitting: false },
        transform: { define: { 'import.meta': '{}' } },
      },
    },
  };
}
