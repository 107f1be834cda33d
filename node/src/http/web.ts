/** The SDK speaks in web requests and responses; this server in those of Node. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { log } from '../log.ts';
import { restored } from '../exact-json.ts';
import { acceptBoth, type AcceptedTypes, acceptedTypes } from './accept.ts';
import { type RequestId, withRequestId } from './request-id.ts';
import { withoutUnreadRepeats } from './unread.ts';

/** A placeholder for a body that was already read and that the adapter would serialise again. */
const READ = null;

/**
 * Answers a request whose body, if it has one, was read before.
 *
 * @param id the id of the request, which errors name.
 * @param answer gets the request without its body; its signal is aborted when the client disconnects.
 */
export async function answerWeb(
  request: IncomingMessage,
  response: ServerResponse,
  id: RequestId,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  if (request.method === 'GET') sendHeadersAtOnce(response);
  const accepted = acceptedTypes(request);
  acceptBoth(request);
  const fetch = async (web: Request): Promise<Response> => {
    const answered = await withRequestId(await answer(web), id);
    // Node decides whether the connection is kept, as its client asks.
    answered.headers.delete('connection');
    return exact(request.method === 'POST' ? await asAccepted(answered, accepted, id === null, web.signal) : answered);
  };
  const handle = toNodeHandler({ fetch }, { onerror: (error) => log(error.message) });
  await handle(request, response, request.method === 'POST' ? READ : undefined);
}

/**
 * The response as JSON, if it is a stream and its client takes none: the responses without the notifications before
 * them.
 *
 * @param isBatch whether the responses are a list.
 * @param signal is aborted when the client disconnects.
 */
async function asAccepted(
  response: Response,
  accepted: AcceptedTypes,
  isBatch: boolean,
  signal: AbortSignal,
): Promise<Response> {
  const { body, headers } = response;
  if (accepted.stream || body === null || headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    return response;
  }
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  let events = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) events += part.value;
  const lines = events.split('\n').filter((line) => line.startsWith('data: '));
  const messages = lines.map((line) => line.slice('data: '.length)).filter((text) => !('method' in JSON.parse(text)));
  if (messages.length === 0) {
    // A cancelled request gets no response.
    headers.delete('content-type');
    return new Response(null, { status: 202, headers });
  }
  headers.set('content-type', 'application/json');
  return new Response(isBatch ? `[${messages.join(',')}]` : messages[0], { status: 200, headers });
}

/** The response with numbers as received. What waits for a client that does not read its stream is limited. */
async function exact(response: Response): Promise<Response> {
  const { status, headers, body } = response;
  const type = headers.get('content-type') ?? '';
  if (body === null) return response;
  if (type.startsWith('text/event-stream')) return new Response(withoutUnreadRepeats(body), { status, headers });
  if (!type.startsWith('application/json')) return response;
  headers.delete('content-length');
  return new Response(restored(await response.text()), { status, headers });
}

/** Otherwise the headers of a stream would wait for its first message. */
function sendHeadersAtOnce(response: ServerResponse): void {
  const { writeHead } = response;
  response.writeHead = ((...args: Parameters<typeof writeHead>) => {
    writeHead.apply(response, args);
    response.flushHeaders();
    return response;
  }) as typeof writeHead;
}
