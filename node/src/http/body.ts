import type { IncomingMessage } from 'node:http';

/** A thousand long observations are 10 MB. */
export const BODY_BYTES_MAX = 32 * 1024 * 1024;

/** The body as text, or nothing when it is longer than {@link BODY_BYTES_MAX}. Rejects when the client goes away. */
export function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    request.on('data', (piece: Buffer) => {
      bytes += piece.length;
      // The rest is read and forgotten, so that the client gets to hear the refusal.
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
