/** Validation of messages of JSON-RPC, over both transports. */
import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { isId, isObject } from './exact-json.ts';

/** A parsed message; `undefined` if it is none of JSON-RPC. */
export function messageOf(value: unknown): JSONRPCMessage | undefined {
  if (isObject(value) && 'id' in value && !isId(value['id'])) return undefined;
  try {
    return parseJSONRPCMessage(value);
  } catch {
    return undefined;
  }
}

/** The id of a message that errors name; `null`, as JSON-RPC requires, if it has none that is valid. */
export function idOf(value: unknown): string | number | null {
  const id = isObject(value) ? value['id'] : undefined;
  return isId(id) ? id : null;
}

/** Why a value is no message of JSON-RPC. */
export function requestError(value: unknown): string {
  if (!isObject(value)) return 'A message must be a JSON object';
  if (value['jsonrpc'] !== '2.0') return 'A message must have "jsonrpc": "2.0"';
  if ('id' in value && !isId(value['id'])) return 'The id must be a string or an integer';
  if ('method' in value && typeof value['method'] !== 'string') return 'The method must be a string';
  if ('params' in value && !isObject(value['params'])) return 'The params must be a JSON object';
  return 'The message is neither a request nor a notification nor a response of JSON-RPC 2.0';
}
