/** An error of the protocol. (The SDK's own class puts a prefix before the message, and the client's side puts it there again.) */
export class ProtocolError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
