import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { CountingReporter } from './tests/counting-reporter.ts';
import { contentSecurityPolicy } from './build/content-security-policy.ts';
import { notices } from './build/notices.ts';
import { packed, PACKED_FOLDER } from './build/packed.ts';
import { serviceWorker } from './build/service-worker.ts';
import { withoutSchemaChecker } from './build/without-schema-checker.ts';

const pkg = fileURLToPath(new URL('../pkg', import.meta.url));
const shell = fileURLToPath(new URL('../crates/wasm/js', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

/** Size in bytes, needed for progress: a server that compresses does not report it. */
const sizeOf = (path: string): number => statSync(`${pkg}/${path}`, { throwIfNoEntry: false })?.size ?? 0;

/** The packages that only the page for hosts of MCP Apps contains. */
const ofMcpApp = ['ext-apps', 'client', 'core'].map((name) =>
  fileURLToPath(new URL(`node_modules/@modelcontextprotocol/${name}/dist`, import.meta.url)),
);
const licences = notices(ofMcpApp);

export default defineConfig({
  // The page may be served from any folder of a plain file server.
  base: './',
  plugins: [react(), contentSecurityPolicy(), withoutSchemaChecker(), packed(), licences.page, serviceWorker()],
  resolve: { alias: { 'limbic-pkg': pkg, 'limbic-shell': shell, 'limbic-packed': PACKED_FOLDER } },
  define: {
    LIMBIC_ENCODER_BYTES: JSON.stringify(sizeOf('encoder/limbic_encoder_bg.wasm')),
    LIMBIC_MODEL_BYTES: JSON.stringify(sizeOf('model/model.onnx')),
    LIMBIC_TOKENIZER_BYTES: JSON.stringify(sizeOf('model/tokenizer.json')),
  },
  assetsInclude: ['**/*.onnx'],
  worker: { format: 'es', plugins: () => [packed(), licences.worker()] },
  server: { fs: { allow: [root] } },
  build: {
    target: 'es2022',
    // An inlined font or picture would need data: in the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
  test: {
    include: ['tests/**/*.test.ts', 'tests/**/*.test.tsx'],
    environment: 'node',
    reporters: [new CountingReporter()],
  },
});
