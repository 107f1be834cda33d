import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { CountingReporter } from './tests/counting-reporter.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Packages are installed beside the page, not beside the tests. */
function packagesOfThePage(): Plugin {
  return {
    name: 'packages-of-the-page',
    enforce: 'pre',
    resolveId(name, importer) {
      const isPackage = /^[a-z@]/.test(name) && !name.startsWith('node:');
      if (!isPackage || importer?.includes('/tests/browser/') !== true) return undefined;
      return this.resolve(name, `${here}package.json`, { skipSelf: true });
    },
  };
}

/** The tests of the built page in a real browser: `npm run test:browser`. */
export default defineConfig({
  root: fileURLToPath(new URL('../tests/browser', import.meta.url)),
  cacheDir: `${here}node_modules/.vite-browser-tests`,
  plugins: [packagesOfThePage()],
  resolve: {
    alias: {
      'limbic-pkg': fileURLToPath(new URL('../pkg', import.meta.url)),
      'limbic-shell': fileURLToPath(new URL('../crates/wasm/js', import.meta.url)),
    },
  },
  test: {
    include: ['**/*.test.ts'],
    // Three browsers: the tests mostly wait for pages.
    maxWorkers: 3,
    // Three times what the longest test takes on a slow machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // As long as the browser's own waits (support/browser.ts). Vitest's default of one second is too short under load.
    expect: { poll: { timeout: 15_000 } },
    reporters: [new CountingReporter()],
  },
});
