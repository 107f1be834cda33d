import type { ServerResponse } from 'node:http';

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

/** Sets security headers. There are no CORS headers, so other origins have no access. */
export function setSecurityHeaders(response: ServerResponse): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
}

/** Sends JSON that must not be cached. */
export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  response.end(body);
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
