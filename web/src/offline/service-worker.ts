/**
 * Keeps one build of the page, whole, and answers from it: with or without a network, never two builds mixed.
 *
 * Another build is fetched beside it and waits until the person agrees; then every tab is loaded again. Large parts are
 * kept by the workers that need them (see `core/kept-part.ts`); of these, only the core is fetched ahead.
 */
import { ASSET_CACHE } from '../core/asset-cache-name.ts';
import { decompressed } from '../components/unpack.ts';
import {
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
/** Put in when the page is built. */
declare const LIMBIC_BUILD: BuildList;

// Each mention of the name puts the whole list there.
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
  // A page of this build, which was loaded before there was a service worker, is looked after from here on.
  if (event.data === `claim ${list.entry}`) event.waitUntil(self.clients.claim());
  if (event.data === 'activate') event.waitUntil(self.skipWaiting());
});

async function cacheBuild(): Promise<void> {
  const cache = await caches.open(name);
  await Promise.all([...list.files.map((file) => cacheFile(cache, file)), cacheCore()]);
}

/** Takes a file from an earlier build when it is the same there. */
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
  // What the page has loaded already need not come again: the bytes themselves tell whether they are right.
  const tries: readonly RequestCache[] = file.sha256 === undefined ? ['no-cache'] : ['force-cache', 'reload'];
  for (const way of tries) {
    const response = await fetch(url, { cache: way });
    if (response.ok && (await matchesBuild(file, list, await response.clone().arrayBuffer())))
      return cache.put(url, response);
  }
  throw new Error(`${file.path} is not of this build`);
}

let laterFiles: Promise<LaterFiles> | undefined;

/** A file out of the packed one, which is fetched once for all of them. What is wrong with it the network has right. */
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

/** The browser may have thrown the cache away. */
async function answer(url: string, request: Request): Promise<Response> {
  const cache = await caches.open(name);
  return (await cache.match(url, { ignoreVary: true })) ?? fetch(request);
}
