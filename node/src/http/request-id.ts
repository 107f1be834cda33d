/** The ids of requests, which errors repeat, so that a client with several open requests knows which one failed. */
import { isId } from '../exact-json.ts';

/** The id of a JSON-RPC request; `null`, as JSON-RPC requires, if it is not a request or its id is unknown. */
export type RequestId = string | number | null;

/** The id of a message that `parseMessage` has parsed. */
export function idOf(message: unknown): RequestId {
  if (typeof message !== 'object' || message === null || !('method' in message) || !('id' in message)) return null;
  return isId(message.id) ? message.id : null;
}

/** Adds the id to an error of the SDK, which omits it if it rejects a request before the handler runs. */
export async function withRequestId(response: Response, id: RequestId): Promise<Response> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  if (id === null || response.ok || !isJson) return response;
  const body = (await response.json()) as Readonly<Record<string, unknown>>;
  const echoed = body['jsonrpc'] === '2.0' && (body['id'] ?? null) === null ? { ...body, id } : body;
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(JSON.stringify(echoed), { status: response.status, headers });
}
