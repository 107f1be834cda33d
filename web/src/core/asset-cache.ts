import { ASSET_CACHE } from '../offline/build-list.ts';
import { fetchAsset } from './fetch-asset.ts';

/** A large asset, and whether it is from the cache, where it may be damaged. */
interface CachedAsset {
  readonly response: Response;
  readonly isCached: boolean;
}

/**
 * Fetches a large asset of the page and caches it for use without a network.
 *
 * The URL contains a hash of the content, so a cached asset is never outdated. The service worker deletes assets that
 * no build needs.
 *
 * @param isAnew whether to replace a cached asset, which is damaged.
 */
export async function fetchCached(url: string, isAnew: boolean): Promise<CachedAsset> {
  const cache = await openCache();
  const cached = isAnew ? undefined : await cache?.match(url).catch(() => undefined);
  if (cached !== undefined) return { response: cached, isCached: true };
  const response = await fetchAsset(url, isAnew ? 'reload' : 'default');
  // Without space, the asset is loaded again next time.
  void cache?.put(url, response.clone()).catch(() => {});
  return { response, isCached: false };
}

/** Opens the cache; insecure contexts and some private windows have none. */
async function openCache(): Promise<Cache | undefined> {
  try {
    return await caches.open(ASSET_CACHE);
  } catch {
    return undefined;
  }
}
