import { loadPart } from '../components/load-part.ts';
import { readText, writeText } from '../components/web-storage.ts';
import { isDemo } from './is-demo.ts';
import type { ServerStatus } from './server/api.ts';
import { exposeForTests, type Source } from './source.ts';

/** The source of this page, or why there is none. */
export type Opened =
  | { readonly source: Source }
  /** The server rejects the token. */
  | { readonly unauthorized: string };

const TOKEN_KEY = 'limbic-token';

/** Determines and opens the source of the page. Rejects with `PartNotLoaded` if its code cannot be loaded. */
export async function openSource(): Promise<Opened> {
  const opened = await found();
  if ('source' in opened) exposeForTests(opened.source);
  return opened;
}

/** A running server, or the browser's own database. */
async function found(): Promise<Opened> {
  const token = takeToken();
  const status = await serverStatus(token);
  if (status === 'none') {
    const { BrowserSource } = await loadPart(() => import('./browser/browser-source.ts'));
    const params = new URLSearchParams(location.search);
    const memoryOnly = params.has('memory');
    const database = params.get('database') ?? 'memory.db';
    const encodes = !params.has('no-model');
    return { source: new BrowserSource({ database, memoryOnly, encodes, isDemo: isDemo(location.search) }) };
  }
  if (typeof status === 'string') return { unauthorized: status };
  const { ServerSource } = await loadPart(() => import('./server/server-source.ts'));
  return { source: new ServerSource(new URL('.', location.href).href, token ?? '', status.read_only === true) };
}

/** Removes the token from the address, since addresses are shared and stored in the history. */
export function takeToken(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given !== null) {
    writeText('sessionStorage', TOKEN_KEY, given);
    history.replaceState(null, '', `${location.pathname}${location.search}`);
  }
  return given ?? readText('sessionStorage', TOKEN_KEY) ?? undefined;
}

/**
 * The status of a server that accepts the token, `none` for a plain file server, or the server's error. A server is
 * always at the root path.
 */
async function serverStatus(token: string | undefined): Promise<ServerStatus | 'none' | string> {
  const isAtRoot = location.pathname === '/' || location.pathname === '/index.html';
  if (!isAtRoot || !location.protocol.startsWith('http')) return 'none';
  try {
    const headers = token === undefined ? undefined : { Authorization: `Bearer ${token}` };
    const response = await fetch('api/status', { headers });
    if (response.headers.get('Content-Type')?.includes('json') !== true) return 'none';
    if (response.ok) return (await response.json()) as ServerStatus;
    const { error } = (await response.json()) as { error?: string };
    return response.status === 404 ? 'none' : (error ?? `The server answered ${response.status}.`);
  } catch {
    return token === undefined ? 'none' : {};
  }
}
