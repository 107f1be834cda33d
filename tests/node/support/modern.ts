/** Requests of protocol 2026-07-28, built without the SDK: each is complete, without a handshake before it. */
import type { HttpServer } from './http.ts';
import type { Message, RawServer } from './raw.ts';

/** The version of the protocol. */
export const MODERN = '2026-07-28';

/** The capabilities of a client that can ask its user. */
export const ASKS = { elicitation: { form: {} } };

/** The fields of every request. */
export function envelope(capabilities: object = {}): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

/** Sends a request. Returns the response. */
export type Ask = (method: string, params?: Record<string, unknown>, capabilities?: object) => Promise<Message>;

/** Sends requests over standard input and output. */
export function askOnStdio(server: RawServer): Ask {
  let last = 0;
  return (method, params = {}, capabilities) => {
    const id = `modern ${++last}`;
    server.request(id, method, { ...params, _meta: envelope(capabilities) });
    return server.answer(id);
  };
}

/** The headers of a request, which repeat fields of its body. */
export function headersOf(
  server: HttpServer,
  method: string,
  params: Record<string, unknown>,
  path = '/mcp',
): Record<string, string> {
  const name = params['name'] ?? params['uri'];
  return {
    ...server.passFor(path),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  };
}

/** Sends requests over HTTP, without a session. */
export function askOverHttp(server: HttpServer, path = '/mcp'): Ask {
  return async (method, params = {}, capabilities) => {
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope(capabilities) } };
    const reply = await server.send(path, {
      method: 'POST',
      headers: headersOf(server, method, params, path),
      body: JSON.stringify(body),
    });
    const text = reply.body.toString();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Message;
  };
}

/** A tool's answer, as text and parsed. */
export function toolAnswer({ result }: Message): { isError: boolean; value: Record<string, unknown> } {
  const content = result?.['content'] as { text: string }[] | undefined;
  return { isError: result?.['isError'] === true, value: JSON.parse(content?.[0]?.text ?? '{}') };
}
