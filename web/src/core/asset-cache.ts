import { ASSET_CACHE } from '../offline/build-list.ts';
import { fetchAsset } from './fetch-asset.ts';

/**
 * Fetches a large asset of the page and caches it for use without a network.
 *
 * The URL contains a hash of the content, so a cached asset is never outdated. The service worker deletes assets that
 * no build needs.
 */
export async function fetchCached(url: string): Promise<Response> {
  const cache = await openCache();
  const cached = await cache?.match(url).catch(() => undefined);
  if (cached !== undefined) return cached;
  const response = await fetchAsset(url);
  // Without space, the asset is loaded again next time.
  void cache?.put(url, response.clone()).catch(() => {});
  return response;
}

/** Opens the cache; insecure contexts and some private windows have none. */
async function openCache(): Promise<Cache | undefined> {
  try {
    return await caches.open(ASSET_CACHE);
  } catch {
    return undefined;
  }
}
