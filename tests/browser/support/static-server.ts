/** A plain file server, as the page must work on any. */
import { createReadStream, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
};

export interface StaticServer {
  /** Where the folder's index lies. */
  readonly url: string;
  end(): Promise<void>;
}

/** Serves folders, each below a prefix such as `/some/where/`, on a free port of this machine. */
export async function serveFolders(folders: Readonly<Record<string, string>>): Promise<StaticServer> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname);
    const file = fileOf(folders, path);
    const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
    if (file === undefined || found?.isFile() !== true) {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('not found');
      return;
    }
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': found.size });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${Object.keys(folders)[0] ?? '/'}`, end: () => ended(server) };
}

function fileOf(folders: Readonly<Record<string, string>>, path: string): string | undefined {
  for (const [prefix, folder] of Object.entries(folders)) {
    const name = path.startsWith(prefix) ? normalize(path.slice(prefix.length)) : undefined;
    if (name === undefined || name.startsWith('..')) continue;
    return join(folder, name === '.' || name === '' ? 'index.html' : name);
  }
  return undefined;
}

function ended(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
