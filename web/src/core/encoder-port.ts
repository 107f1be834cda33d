import type { EncoderPort, FromEncoderPort } from 'limbic-shell/encoder-link.ts';

/** A channel to the encoder's worker, as the core's link takes it. That it was closed, not every browser tells: the page does. */
export function encoderPort(port: MessagePort): EncoderPort {
  return {
    send: (request) => port.postMessage(request, [request.tasks.buffer]),
    listen: (heard) => {
      port.onmessage = ({ data }: MessageEvent<FromEncoderPort>) => heard(data);
    },
    close: () => port.close(),
  };
}
