/** Bodies of requests that are refused, whose senders may have no access: no more than the limit is read of them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseMessage } from '../exact-json.ts';
import { type Body, hasShortBody, MAX_REFUSED_BYTES, readBody } from './body.ts';
import { idOf, type RequestId } from './request-id.ts';
import { type Refusal, refuseMessage } from './respond.ts';

/** Maximum time to wait for such a body. */
const MAX_REFUSED_BODY_MILLIS = 10_000;
/** Number of such bodies that are read at once; of further ones nothing is kept. */
const MAX_READ_AT_ONCE = 64;

let readNow = 0;

/**
 * Ends the connection with the response, unless the body is short: otherwise the rest of the body would be read and
 * discarded, however long it is. {@link keepConnection} undoes this.
 */
export function endUnlessShort(request: IncomingMessage, response: ServerResponse): void {
  if (!hasShortBody(request)) response.setHeader('Connection', 'close');
}

/** Keeps the connection of a client that has access. */
export function keepConnection(response: ServerResponse): void {
  response.removeHeader('Connection');
}

/**
 * Refuses a message whose body is not needed, with its id if the body is short. `whole` is the body if it is being
 * read.
 */
export async function refuseWithId(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  whole?: Promise<Body>,
): Promise<void> {
  endUnlessShort(request, response);
  const read = (): Promise<Body> => whole ?? readBody(request, { bytesMax: MAX_REFUSED_BYTES });
  const id = hasShortBody(request) && readNow < MAX_READ_AT_ONCE ? await idIn(read) : undefined;
  // The rest of a body that is late is not waited for, either.
  if (id === undefined) response.setHeader('Connection', 'close');
  refuseMessage(response, refusal, id ?? null);
}

/** The id in the body of a request; `undefined` if the body does not arrive in time. */
async function idIn(read: () => Promise<Body>): Promise<RequestId | undefined> {
  readNow += 1;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, MAX_REFUSED_BODY_MILLIS, undefined);
  });
  try {
    const body = await Promise.race([read(), late]);
    return body !== undefined && 'text' in body ? idOfText(body.text) : undefined;
  } catch {
    // The client disconnected.
    return undefined;
  } finally {
    clearTimeout(timer);
    readNow -= 1;
  }
}

function idOfText(text: string): RequestId {
  try {
    return idOf(parseMessage(text));
  } catch {
    return null;
  }
}
