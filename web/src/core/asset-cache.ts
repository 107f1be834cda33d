import { fetchAsset } from './fetch-asset.ts';
import { ASSET_CACHE } from './asset-cache-name.ts';

/**
 * A large part of the page, kept by the browser after its first load, so that it is there without a network.
 *
 * Its address names its content, so what is kept is never out of date. The service worker drops what no build needs.
 */
export async function fetchCached(url: string): Promise<Response> {
  const cache = await openCache();
  const cached = await cache?.match(url).catch(() => undefined);
  if (cached !== undefined) return cached;
  const response = await fetchAsset(url);
  // Where there is no room, the part is loaded again next time.
  void cache?.put(url, response.clone()).catch(() => {});
  return response;
}

/** There is none on an address that is not secure, nor in some private windows. */
async function openCache(): Promise<Cache | undefined> {
  try {
    return await caches.open(ASSET_CACHE);
  } catch {
    return undefined;
  }
}
