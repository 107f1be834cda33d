/** The files of a build, which the build embeds into the service worker. */
export interface BuildList {
  /** Changes with any file. */
  readonly version: string;
  /** The entry script, whose name identifies the build. */
  readonly entry: string;
  readonly files: readonly BuildFile[];
  /** Paths of the large assets, which workers cache themselves; the first one, the core, is required. */
  readonly parts: readonly string[];
  /** Path of the compressed file with what a first visit does not load (see `LaterFiles`). */
  readonly later: string;
}

/** The name of the cache for large assets: the core, the encoder and the model. */
export const ASSET_CACHE = 'limbic-parts';

/** Texts of files by path, as gzipped JSON. */
export type LaterFiles = Readonly<Record<string, string>>;

export interface BuildFile {
  /** Relative to the page's folder; the page itself is `./`. */
  readonly path: string;
  /** SHA-256 in base64; none for the page, since some servers modify it. */
  readonly sha256?: string;
  /** Whether it is in the compressed file as well. */
  readonly isLater?: boolean;
}

/** The prefix of this page's caches; an origin may have several copies of the page. */
export function cachePrefix(scope: string): string {
  return `limbic-page ${scope} `;
}

export function cacheName(scope: string, version: string): string {
  return `${cachePrefix(scope)}${version}`;
}

/** The URL of a cached request, or `undefined` if the network should answer. */
export function cachedUrl(url: string, scope: string, list: BuildList): string | undefined {
  const asked = new URL(url);
  asked.hash = '';
  asked.search = '';
  const { href } = asked;
  if (!href.startsWith(scope)) return undefined;
  const rest = href.slice(scope.length);
  const path = rest === '' || rest === 'index.html' ? './' : rest;
  return list.files.some((file) => file.path === path) ? new URL(path, scope).href : undefined;
}

/** Whether these bytes are the file of this build; a server that is being updated may return others. */
export async function matchesBuild({ path, sha256 }: BuildFile, list: BuildList, bytes: ArrayBuffer): Promise<boolean> {
  if (sha256 === undefined) return path === './' && new TextDecoder().decode(bytes).includes(list.entry);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return btoa(String.fromCharCode(...digest)) === sha256;
}
