/** Serves the explorer's files. They contain no secrets and need no token; the requests of the page do. */
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { methodNotAllowed, refuse } from './respond.ts';

/** The policy that the page contains, and that no other page may embed it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.db': 'application/vnd.sqlite3',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.jsonl': 'application/x-ndjson',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Paths whose names contain a hash of their content. */
const HASHED = /^\/assets\/.*[.-][\w-]{8,}\.\w+$/;

interface File {
  readonly path: string;
  readonly bytes: number;
  readonly etag: string;
}

/** Serves the files that a folder contained when the server started, and no others. */
export class Page {
  readonly #files: ReadonlyMap<string, File>;

  private constructor(files: ReadonlyMap<string, File>) {
    this.#files = files;
  }

  /** @throws when there is no page in the folder. */
  static from(folder: string): Page {
    if (!existsSync(join(folder, 'index.html'))) {
      throw new Error(
        'the explorer is not part of this build: run `cargo xtask build`, which builds web/dist and copies it into the package, ' +
          'or use --http, which serves MCP alone',
      );
    }
    const files = new Map<string, File>();
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const path = join(folder, name);
      const stat = statSync(path);
      if (!stat.isFile()) continue;
      const etag = `"${stat.size.toString(36)}-${Math.trunc(stat.mtimeMs).toString(36)}"`;
      files.set(`/${name.split(sep).join('/')}`, { path, bytes: stat.size, etag });
    }
    return new Page(files);
  }

  /** Serves the file of a request path. */
  async handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, methodNotAllowed('GET', 'HEAD'));
    const name = decoded(path);
    const file = this.#files.get(name === '/' ? '/index.html' : name);
    if (file === undefined) {
      return refuse(response, {
        status: 404,
        code: 'not_found',
        error: 'Not found: the explorer is at /, MCP at /mcp',
      });
    }
    response.setHeader('Content-Security-Policy', POLICY);
    response.setHeader('Cache-Control', HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache');
    response.setHeader('ETag', file.etag);
    if (request.headers['if-none-match'] === file.etag) {
      response.writeHead(304).end();
      return;
    }
    response.writeHead(200, {
      'Content-Type': TYPES[extname(file.path)] ?? 'application/octet-stream',
      'Content-Length': file.bytes,
    });
    if (request.method === 'HEAD') response.end();
    // The client disconnected.
    else await pipeline(createReadStream(file.path), response).catch(() => response.destroy());
  }
}

/** Decodes a path; an invalid one becomes empty, which names no file. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
