/** What a client takes as the response to a request, by its `Accept` header (RFC 9110, section 12.5.1). */
import type { IncomingMessage } from 'node:http';
import type { Refusal } from './respond.ts';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

/** The types of responses that a client takes. */
export interface AcceptedTypes {
  readonly json: boolean;
  readonly stream: boolean;
}

/** The refusal of a request whose client takes no response of this server. */
export const NOT_ACCEPTABLE: Refusal = {
  status: 406,
  code: 'not_acceptable',
  error: `Send the header "Accept: ${JSON_TYPE}, ${STREAM_TYPE}"`,
};

/** The types that a client takes: any without the header, as programs that are no client of MCP send their requests. */
export function acceptedTypes({ headers }: IncomingMessage): AcceptedTypes {
  const accept = headers.accept ?? '';
  return { json: takes(accept, JSON_TYPE), stream: takes(accept, STREAM_TYPE) };
}

/** Replaces the header by the one that MCP requires, since the SDK refuses other ones. */
export function acceptBoth(request: IncomingMessage): void {
  request.headers.accept = `${JSON_TYPE}, ${STREAM_TYPE}`;
}

/** Whether a header accepts a type. The range that names it most exactly counts. */
function takes(accept: string, type: string): boolean {
  const weights = new Map<string, boolean>();
  for (const range of accept.toLowerCase().split(',')) {
    const [name = '', ...params] = range.split(';').map((part) => part.trim());
    if (name !== '') weights.set(name, !params.some((param) => /^q=0(?:\.0*)?$/.test(param)));
  }
  const ranges = [type, type.replace(/\/.*/, '/*'), '*/*'];
  return weights.size === 0 || ranges.map((range) => weights.get(range)).find((is) => is !== undefined) === true;
}
