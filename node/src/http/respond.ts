import type { ServerResponse } from 'node:http';

/** Why a request is not served. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** A sentence that tells the next step. */
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The refusal of what comes when the server is being stopped. */
export const SHUTTING_DOWN: Refusal = {
  status: 503,
  code: 'stopping',
  error: 'This server is being stopped: start it again',
  headers: { Connection: 'close' },
};

/** What every answer says to browsers. There are no CORS headers: other origins can do nothing here. */
export function setSecurityHeaders(response: ServerResponse): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
}

/** Answers with JSON that is true only now. */
export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  response.end(body);
}

/** Answers why a request is not served, unless an answer has begun. */
export function refuse(response: ServerResponse, { status, code, error, headers = {} }: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  answerJson(response, { error, code }, status);
}

/** The refusal of a method. */
export function methodNotAllowed(...methods: readonly string[]): Refusal {
  const allowed = methods.join(', ');
  return {
    status: 405,
    code: 'method_not_allowed',
    error: `This address takes ${allowed} only`,
    headers: { Allow: allowed },
  };
}
