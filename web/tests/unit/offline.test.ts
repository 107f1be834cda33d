import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cacheName, cachePrefix, matchesBuild, cachedUrl } from '../../src/offline/build-list.ts';

const SCOPE = 'https://example.org/some/where/';
const script = new TextEncoder().encode('export {}').buffer as ArrayBuffer;
const file = { path: 'assets/a-1.js', sha256: createHash('sha256').update(new Uint8Array(script)).digest('base64') };
const page = { path: './' };
const list = {
  version: '1',
  entry: 'assets/index-1.js',
  files: [page, file],
  parts: ['assets/core-1.bin'],
  later: 'assets/later-1.bin',
};
const bytesOf = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer as ArrayBuffer;

describe('what the service worker answers from its cache', () => {
  it.each([
    [SCOPE, SCOPE],
    [`${SCOPE}?demo#/graph`, SCOPE],
    [`${SCOPE}index.html`, SCOPE],
    [`${SCOPE}assets/a-1.js`, `${SCOPE}assets/a-1.js`],
  ])('%s', (asked, kept) => {
    expect(cachedUrl(asked, SCOPE, list)).toBe(kept);
  });

  it.each([
    `${SCOPE}api/status`,
    `${SCOPE}assets/a-2.js`,
    'https://example.org/',
    'https://other.org/some/where/assets/a-1.js',
    `${SCOPE}assets/core-1.bin`,
  ])('leaves to the network: %s', (asked) => {
    expect(cachedUrl(asked, SCOPE, list)).toBeUndefined();
  });
});

describe('a build', () => {
  it('accepts only files with the right hash', async () => {
    expect(await matchesBuild(file, list, script)).toBe(true);
    expect(await matchesBuild(file, list, bytesOf('export { a }'))).toBe(false);
  });

  it('accepts a page with its entry script', async () => {
    expect(await matchesBuild(page, list, bytesOf('<script src="./assets/index-1.js">'))).toBe(true);
    expect(await matchesBuild(page, list, bytesOf('<script src="./assets/index-2.js">'))).toBe(false);
    expect(await matchesBuild({ path: 'assets/b.js' }, list, bytesOf('assets/index-1.js'))).toBe(false);
  });

  it('has its own caches beside those of other folders and builds', () => {
    expect(cacheName(SCOPE, '2')).not.toBe(cacheName(SCOPE, '1'));
    expect(cacheName(`${SCOPE}deeper/`, '1').startsWith(cachePrefix(SCOPE))).toBe(false);
  });
});
