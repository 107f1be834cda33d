import type { Plugin } from 'vite';

/** The translations of zod's messages, which a page that shows only its own texts does not need. */
const LOCALES = /zod[\\/]v4[\\/]locales[\\/]index\.js$/;

/** Removes the parts of zod that the SDK of MCP Apps does not use. */
export function smallApps(): Plugin {
  return {
    name: 'small-apps',
    enforce: 'pre',
    load(id) {
      return LOCALES.test(id) ? "export { default as en } from './en.js';" : undefined;
    },
  };
}
