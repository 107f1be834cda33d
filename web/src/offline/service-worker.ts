/**
 * Caches one complete build of the page and serves it with or without a network; two builds are never mixed.
 *
 * A new build is fetched in the background and waits until the user agrees; then every tab is reloaded. Large assets
 * are cached by the workers that need them (see `core/asset-cache.ts`); of these, only the core is fetched in advance.
 */
import { decompressed } from '../components/unpack.ts';
import {
  ASSET_CACHE,
  type BuildFile,
  type BuildList,
  cacheName,
  cachePrefix,
  matchesBuild,
  cachedUrl,
  type LaterFiles,
} from './build-list.ts';
import type { ServiceWorkerScope } from './scope.ts';

declare const self: ServiceWorkerScope;
/** Replaced by the build. */
declare const LIMBIC_BUILD: BuildList;

// Each use of the name is replaced by the whole list.
const list = LIMBIC_BUILD;

const scope = self.registration.scope;
const name = cacheName(scope, list.version);

self.addEventListener('install', (event) => event.waitUntil(cacheBuild()));
self.addEventListener('activate', (event) => event.waitUntil(deleteOldCaches()));

self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET') return;
  const cachedRequestUrl = cachedUrl(event.request.url, scope, list);
  if (cachedRequestUrl !== undefined) event.respondWith(answer(cachedRequestUrl, event.request));
});

self.addEventListener('message', (event) => {
  // Take control of a page of this build that was loaded before the service worker was installed.
  if (event.data === `claim ${list.entry}`) event.waitUntil(self.clients.claim());
  if (event.data === 'activate') event.waitUntil(self.skipWaiting());
});

async function cacheBuild(): Promise<void> {
  const cache = await caches.open(name);
  await Promise.all([...list.files.map((file) => cacheFile(cache, file)), cacheCore()]);
}

/** Caches a file, from the cache of an earlier build if it is unchanged. */
async function cacheFile(cache: Cache, file: BuildFile): Promise<void> {
  const url = new URL(file.path, scope).href;
  if ((await cache.match(url)) !== undefined) return;
  const earlier = file.sha256 === undefined ? undefined : await fromOldCache(url);
  if (earlier !== undefined && (await matchesBuild(file, list, await earlier.clone().arrayBuffer()))) {
    await cache.put(url, earlier);
    return;
  }
  const later = file.isLater === true ? await fromBundle(file) : undefined;
  if (later !== undefined) return cache.put(url, later);
  // Use the browser's HTTP cache first; the hash verifies the bytes.
  const tries: readonly RequestCache[] = file.sha256 === undefined ? ['no-cache'] : ['force-cache', 'reload'];
  for (const way of tries) {
    const response = await fetch(url, { cache: way });
    if (response.ok && (await matchesBuild(file, list, await response.clone().arrayBuffer())))
      return cache.put(url, response);
  }
  throw new Error(`${file.path} is not of this build`);
}

let laterFiles: Promise<LaterFiles> | undefined;

/** Reads a file from the compressed file, which is fetched once; on a mismatch the file itself is fetched. */
async function fromBundle(file: BuildFile): Promise<Response | undefined> {
  laterFiles ??= fetch(new URL(list.later, scope)).then((response) =>
    decompressed(response, 'application/json').json(),
  );
  const text = (await laterFiles.catch((): LaterFiles => ({})))[file.path];
  if (text === undefined) return undefined;
  const bytes = new TextEncoder().encode(text).buffer;
  if (!(await matchesBuild(file, list, bytes))) return undefined;
  const type = file.path.endsWith('.css') ? 'text/css' : 'text/javascript';
  return new Response(bytes, { headers: { 'Content-Type': type } });
}

async function cacheCore(): Promise<void> {
  const [core] = list.parts;
  if (core === undefined) return;
  const parts = await caches.open(ASSET_CACHE);
  const url = new URL(core, scope).href;
  if ((await parts.match(url)) === undefined) await parts.add(url);
}

async function fromOldCache(url: string): Promise<Response | undefined> {
  for (const earlier of await ownCaches()) {
    const found = await (await caches.open(earlier)).match(url);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function deleteOldCaches(): Promise<void> {
  for (const other of await ownCaches()) if (other !== name) await caches.delete(other);
  const parts = await caches.open(ASSET_CACHE);
  const needed = new Set(list.parts.map((path) => new URL(path, scope).href));
  for (const { url } of await parts.keys()) if (url.startsWith(scope) && !needed.has(url)) await parts.delete(url);
}

async function ownCaches(): Promise<string[]> {
  return (await caches.keys()).filter((other) => other.startsWith(cachePrefix(scope)));
}

/** The browser may have deleted the cache. */
async function answer(url: string, request: Request): Promise<Response> {
  const cache = await caches.open(name);
  return (await cache.match(url, { ignoreVary: true })) ?? fetch(request);
}
