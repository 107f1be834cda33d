import { restoredBytes } from '../exact-json.ts';

/** Longer messages are responses: each of them is different. */
const MAX_REPEATED_BYTES = 16 * 1024;

/**
 * Limits what waits in the stream of a client that does not read: a message that equals one that is still unread is
 * dropped. The notification of a changed resource is always the same, and a late reader gets the latest state. Numbers
 * are inserted as received.
 *
 * @param body a stream of server-sent events whose chunks are whole events. It is read without delay.
 */
export function withoutUnreadRepeats(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const waiting: Uint8Array[] = [];
  const unread = new Set<string>();
  let hasEnded = false;
  let failure: unknown;
  let wake: () => void = () => {};
  const readAll = async (): Promise<void> => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const key = keyOf(part.value);
      if (key !== undefined && unread.has(key)) continue;
      if (key !== undefined) unread.add(key);
      waiting.push(part.value);
      wake();
    }
  };
  return new ReadableStream(
    {
      start() {
        readAll()
          .catch((error: unknown) => {
            failure = error;
          })
          .finally(() => {
            hasEnded = true;
            wake();
          });
      },
      async pull(controller) {
        while (waiting.length === 0 && !hasEnded) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const next = waiting.shift();
        if (next !== undefined) {
          unread.delete(keyOf(next) ?? '');
          controller.enqueue(restoredBytes(next));
        } else if (failure !== undefined) controller.error(failure);
        else controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function keyOf(event: Uint8Array): string | undefined {
  return event.length > MAX_REPEATED_BYTES ? undefined : Buffer.from(event).toString('latin1');
}
