import type { IncomingMessage } from 'node:http';

/** Maximum size of a request body; a thousand long observations have 10 MB. */
export const BODY_BYTES_MAX = 32 * 1024 * 1024;

/** Reads the body as text; `undefined` if it is longer than {@link BODY_BYTES_MAX}. Rejects if the client disconnects. */
export function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    request.on('data', (piece: Buffer) => {
      bytes += piece.length;
      // The rest is read and discarded, so that the client receives the error response.
      if (bytes > BODY_BYTES_MAX) {
        pieces.length = 0;
        resolve(undefined);
      } else {
        pieces.push(piece);
      }
    });
    request.on('end', () => resolve(Buffer.concat(pieces).toString('utf8')));
    request.on('error', reject);
  });
}
