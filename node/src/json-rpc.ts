/** Validation of messages of JSON-RPC, over both transports. */
import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { isId, isObject } from './exact-json.ts';
import { INTERNAL_ERROR } from './protocol-error.ts';

/** The members of a request or a notification. */
const REQUEST_MEMBERS: readonly string[] = ['jsonrpc', 'id', 'method', 'params'];

/**
 * A message as the SDK takes it: without unknown members, which it refuses. This server sends no requests, so that the
 * content of a response has no effect; an error may have no id.
 */
export function knownMembers(value: unknown): unknown {
  if (!isObject(value)) return value;
  if ('method' in value)
    return Object.fromEntries(Object.entries(value).filter(([name]) => REQUEST_MEMBERS.includes(name)));
  const { jsonrpc, id } = value;
  if ('error' in value && (id ?? null) === null) return { jsonrpc, error: NO_ERROR };
  return isId(id) && ('result' in value || 'error' in value) ? { jsonrpc, id, result: {} } : value;
}

const NO_ERROR = { code: INTERNAL_ERROR, message: '' };

/** A parsed message; `undefined` if it is none of JSON-RPC. */
export function messageOf(given: unknown): JSONRPCMessage | undefined {
  const value = knownMembers(given);
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
  const { params = {} } = value;
  if (!isObject(params)) return 'The params must be a JSON object';
  const { _meta: meta = {} } = params;
  if (!isObject(meta)) return 'The "_meta" of the params must be a JSON object';
  if ('progressToken' in meta && !['string', 'number'].includes(typeof meta['progressToken'])) {
    return 'The "progressToken" must be a string or a number';
  }
  return 'The message is neither a request nor a notification nor a response of JSON-RPC 2.0';
}
