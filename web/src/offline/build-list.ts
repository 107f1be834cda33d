/** What belongs to one build of the page, put into the service worker when it is built. */
export interface BuildList {
  /** Another one for any change of any file. */
  readonly version: string;
  /** The script that the page starts with; its name tells the version of the page. */
  readonly entry: string;
  readonly files: readonly BuildFile[];
  /** Paths of the large parts, which workers keep for themselves; the first is needed for anything to work. */
  readonly parts: readonly string[];
  /** Path of the file that holds what a first visit does not load, packed (see `LaterFiles`). */
  readonly later: string;
}

/** Texts of files by their paths: JSON, gzipped. Most servers would send them one by one, and some unpacked. */
export type LaterFiles = Readonly<Record<string, string>>;

export interface BuildFile {
  /** Relative to the page's folder; the page itself is `./`. */
  readonly path: string;
  /** SHA-256, base64; none for the page, which some servers write something into. */
  readonly sha256?: string;
  /** Whether it is in the packed file as well. */
  readonly isLater?: boolean;
}

/** Caches belong to a whole origin, on which several copies of the page may lie. */
export function cachePrefix(scope: string): string {
  return `limbic-page ${scope} `;
}

export function cacheName(scope: string, version: string): string {
  return `${cachePrefix(scope)}${version}`;
}

/** The address under which a request is kept, when it belongs to the build; nothing when the network is to answer. */
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

/** Whether these bytes are the file of this build. A server in the middle of an update gives others. */
export async function matchesBuild({ path, sha256 }: BuildFile, list: BuildList, bytes: ArrayBuffer): Promise<boolean> {
  if (sha256 === undefined) return path === './' && new TextDecoder().decode(bytes).includes(list.entry);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return btoa(String.fromCharCode(...digest)) === sha256;
}
