/** A plain file server, as the page must work on any. */
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.wasm': 'application/wasm', '.json': 'application/json' };

/** Serves a folder below `prefix` on a free port; gives the address and a way to end it. */
export async function serve(folder, prefix = '/') {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname);
    const name = path.startsWith(prefix) ? normalize(path.slice(prefix.length)) : undefined;
    const file = name === undefined || name.startsWith('..') ? undefined : join(folder, name === '.' || name === '' ? 'index.html' : name);
    const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
    if (found?.isFile() !== true) {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('not found');
      return;
    }
    response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream', 'Content-Length': found.size });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}${prefix}`, end: () => server.close() };
}
