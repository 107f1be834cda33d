import type { IncomingMessage } from 'node:http';
import type { Reservation } from './queued-bytes.ts';

/** Maximum size of a request body; a thousand long observations have 10 MB. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Maximum length of a body that is read only for the id of the request that is refused. */
export const MAX_REFUSED_BYTES = 64 * 1024;

/** The text of a body, or why it was not kept. */
export type Body =
  | { readonly text: string }
  | { readonly problem: 'too large' }
  /** Of a short body, `whole` is fulfilled at its end: it may be read for the id of its request. */
  | { readonly problem: 'too many'; readonly whole: Promise<Body> | undefined };

/** Whether the type of a body is JSON. */
export function isJson({ headers }: IncomingMessage): boolean {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

/** Whether there is no body, or one that states its length and may be read of a client without access. */
export function hasShortBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= MAX_REFUSED_BYTES;
}

/** The limits of a body. */
export interface BodyLimits {
  /** Its maximum size. */
  readonly bytesMax?: number;
  /** Reserves its bytes from the limit of all requests. */
  readonly reservation?: Reservation;
}

/** Reads the body. Rejects if the client disconnects. */
export function readBody(request: IncomingMessage, limits: BodyLimits = {}): Promise<Body> {
  const { bytesMax = MAX_BODY_BYTES, reservation } = limits;
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.resolve({ problem: 'too large' });
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    let isKept = true;
    let isRefused = false;
    let finish = resolve;
    // The rest is read and discarded, so that the client receives the error response.
    const discard = (body: Body): void => {
      isKept = false;
      pieces.length = 0;
      resolve(body);
    };
    const refuse = (): void => {
      isRefused = true;
      const whole = new Promise<Body>((fulfil) => {
        finish = fulfil;
      });
      if (hasShortBody(request)) resolve({ problem: 'too many', whole });
      else discard({ problem: 'too many', whole: undefined });
    };
    request.on('data', (piece: Buffer) => {
      if (!isKept) return;
      bytes += piece.length;
      if (bytes > bytesMax) return discard({ problem: 'too large' });
      if (!isRefused && reservation?.take(piece.length) === false) refuse();
      if (isKept) pieces.push(piece);
    });
    request.on('end', () => {
      if (isKept) finish({ text: Buffer.concat(pieces).toString('utf8') });
    });
    request.on('error', reject);
  });
}
