import type { Plugin } from 'vite';

/**
 * The content security policy that the servers send as well, with `frame-ancestors`, which only a header can contain.
 * Plain file servers send none, so the page contains it.
 */
export const POLICY = [
  "default-src 'none'",
  // WebAssembly modules are compiled; no text is evaluated.
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Adds the policy to the built page, but not in development, where the bundler adds inline scripts. */
export function contentSecurityPolicy(): Plugin {
  return {
    name: 'content-security-policy',
    apply: 'build',
    transformIndexHtml: () => [
      { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY }, injectTo: 'head-prepend' },
    ],
  };
}
