import type { MessagePort } from 'node:worker_threads';
import type { EncoderPort } from 'limbic-shell/encoder-link.ts';

/** Wraps a channel to the encoder's thread for the core's link. */
export function encoderPort(port: MessagePort): EncoderPort {
  return {
    send: (request) => port.postMessage(request, [request.tasks.buffer as ArrayBuffer]),
    listen: (onMessage, onClose) => {
      port.on('message', onMessage);
      port.on('close', onClose);
    },
    close: () => port.close(),
  };
}
