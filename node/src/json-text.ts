import type { JSONRPCMessage } from '@modelcontextprotocol/server';

/** A JSON object as text. In a message it stands for the object, without the time to parse and serialise it. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The object, for transports that serialise their messages themselves. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** Serialises a message; structured content that is a {@link JsonText} is inserted as it is. */
export function serialised(message: JSONRPCMessage): string {
  if (!('result' in message)) return JSON.stringify(message);
  const { result, ...envelope } = message;
  const { structuredContent, ...others } = result as Record<string, unknown>;
  if (!(structuredContent instanceof JsonText)) return JSON.stringify(message);
  const begun = (fields: object): string => {
    const text = JSON.stringify(fields);
    return text === '{}' ? '{' : `${text.slice(0, -1)},`;
  };
  return `${begun(envelope)}"result":${begun(others)}"structuredContent":${structuredContent.text}}}`;
}
