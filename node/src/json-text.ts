import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { restored, standIn } from './exact-json.ts';

/** A JSON object as text. In a message it stands for the object, without the time to parse and serialise it. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Stands for the object where a transport serialises its messages itself; `restored` inserts the text. */
  toJSON(): string {
    return standIn(this.text);
  }
}

/** Serialises a message; structured content that is a {@link JsonText}, and numbers as received, are inserted. */
export function serialised(message: JSONRPCMessage): string {
  if (!('result' in message)) return restored(JSON.stringify(message));
  const { result, ...envelope } = message;
  const { content, structuredContent, ...others } = result as Record<string, unknown>;
  if (!(structuredContent instanceof JsonText)) return restored(JSON.stringify(message));
  const begun = (fields: object): string => {
    const text = restored(JSON.stringify(fields));
    return text === '{}' ? '{' : `${text.slice(0, -1)},`;
  };
  // The content is text of the core, in which nothing stands for JSON: a large one is not searched for it.
  const texts = content === undefined ? '' : `"content":${JSON.stringify(content)},`;
  return `${begun(envelope)}"result":${begun(others)}${texts}"structuredContent":${structuredContent.text}}}`;
}
