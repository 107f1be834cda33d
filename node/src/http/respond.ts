import type { ServerResponse } from 'node:http';
import { hasShortBody } from './body.ts';
import { restored } from '../exact-json.ts';
import { BAD_REQUEST } from '../protocol-error.ts';
import type { RequestId } from './request-id.ts';

/** Otherwise the system discards what a client that is still sending has not read. */
const READING_MILLIS = 1000;

/** Why a request is rejected. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** A sentence that states the next step. */
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response during shutdown. */
export const SHUTTING_DOWN: Refusal = {
  status: 503,
  code: 'stopping',
  error: 'This server is shutting down: start it again',
  headers: { Connection: 'close' },
};

/** The refusal of a body that is not JSON. Pages of another origin can send other types without a preflight request. */
export const NOT_JSON: Refusal = {
  status: 415,
  code: 'unsupported_media_type',
  error: 'Send the header "Content-Type: application/json"',
};

/** Sets security headers. There are no CORS headers, so other origins have no access. */
export function setSecurityHeaders(response: ServerResponse): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
}

/** Sends JSON that must not be cached. */
export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  const body = restored(JSON.stringify(value));
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  end(response, body);
}

/** Ends a response. A client that is still sending is not read from, but gets time to read the response. */
function end(response: ServerResponse, body: string): void {
  if (response.getHeader('Connection') !== 'close' || hasShortBody(response.req)) {
    response.end(body);
    return;
  }
  response.write(body);
  const timer = setTimeout(() => response.end(), READING_MILLIS);
  response.once('close', () => clearTimeout(timer));
}

/** Sends a refusal, or closes the connection if a response has begun. */
export function refuse(response: ServerResponse, { status, code, error, headers = {} }: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  answerJson(response, { error, code }, status);
}

/** Refuses a message of JSON-RPC. The id is `null` where it is not known. */
export function refuseMessage(response: ServerResponse, refusal: Refusal, id: RequestId): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, code, error, headers = {} } = refusal;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  answerJson(response, { jsonrpc: '2.0', id, error: { code: BAD_REQUEST, message: error, data: { code } } }, status);
}

/** The refusal of an HTTP method. */
export function methodNotAllowed(...methods: readonly string[]): Refusal {
  const allowed = methods.join(', ');
  return {
    status: 405,
    code: 'method_not_allowed',
    error: `This address accepts only ${allowed}`,
    headers: { Allow: allowed },
  };
}
