import type { EncoderPort, FromEncoderPort } from 'limbic-shell/encoder-link.ts';

/**
 * Wraps a channel to the encoder's worker for the core's link. Not every browser reports a closed channel, so the page
 * does.
 */
export function encoderPort(port: MessagePort): EncoderPort {
  return {
    send: (request) => port.postMessage(request, [request.tasks.buffer]),
    listen: (onMessage) => {
      port.onmessage = ({ data }: MessageEvent<FromEncoderPort>) => onMessage(data);
    },
    close: () => port.close(),
  };
}
