/** A plain file server. */
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
};

/** Content types that servers compress by default. */
const PACKED = /\.(html|js|css|svg|wasm|json|webmanifest)$/;

export interface StaticServer {
  /** The address of the first folder's index. */
  readonly url: string;
  /** Number of responses so far, and bytes of their contents. */
  readonly sent: { bytes: number; answers: number };
  end(): Promise<void>;
}

/**
 * Serves folders, each below a prefix such as `/some/where/`, on a free port of this machine. `packs`: with
 * compression.
 */
export async function serveFolders(
  folders: Readonly<Record<string, string>>,
  options: { readonly packs?: boolean } = {},
): Promise<StaticServer> {
  const sent = { bytes: 0, answers: 0 };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname);
    const file = fileOf(folders, path);
    const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
    if (file === undefined || found?.isFile() !== true) {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('not found');
      return;
    }
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    sent.answers += 1;
    if (options.packs === true && PACKED.test(file)) {
      const bytes = gzipSync(readFileSync(file));
      sent.bytes += bytes.length;
      response
        .writeHead(200, { 'Content-Type': type, 'Content-Encoding': 'gzip', 'Content-Length': bytes.length })
        .end(bytes);
      return;
    }
    sent.bytes += found.size;
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': found.size });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${Object.keys(folders)[0] ?? '/'}`, sent, end: () => ended(server) };
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
