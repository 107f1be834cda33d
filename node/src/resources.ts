/** Resources and prompts, which clients read and subscribe to without calling a tool. */
import type { Answer, CoreThread } from './core-thread.ts';
import { textOfArguments } from './exact-json.ts';
import { echo } from './log.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, ProtocolError, RESOURCE_NOT_FOUND } from './protocol-error.ts';
import { objectParam, type Params, type ProtocolServer, textParam } from './protocol-server.ts';
import type { Completion } from './core/run-call.ts';
import { listForHost, type McpApp, showsApps } from './mcp-app.ts';
import type { Caller, CoreSession, ToolAccess } from './messages.ts';
import type { ResourceLists } from './resource-lists.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { ServerContext } from '@modelcontextprotocol/server';

/** The dependencies of the handlers. */
export interface ResourcesOptions {
  readonly core: CoreThread;
  readonly lists: ResourceLists;
  /** Whether another server is emulated; those do not use MCP's code for an unknown resource. */
  readonly isCompat: boolean;
  /** The session in the core that a request belongs to. */
  readonly sessionOf: (context: ServerContext) => CoreSession;
  readonly callerOf: (context: ServerContext) => Caller;
  readonly subscriptions: Subscriptions;
  /** The access of the client. */
  readonly access: ToolAccess | undefined;
  /** The additional resources for hosts of MCP Apps. */
  readonly app: McpApp | undefined;
}

/** Serves the core's resources and prompts to a client. */
export function handleResources(server: ProtocolServer, options: ResourcesOptions): void {
  const { core, lists, isCompat, sessionOf, callerOf, subscriptions, access, app } = options;
  const value = (answer: Answer): unknown => contentOf(answer, isCompat);
  server.handle('resources/list', async (_params, context) => {
    const { resources } = await lists.known();
    if (app === undefined || !showsApps(server, context)) return { resources };
    return listForHost(server, { resources: [...resources, app.resource] });
  });
  server.handle('resources/templates/list', async () => ({
    resourceTemplates: (await lists.known()).resourceTemplates,
  }));
  server.handle('prompts/list', async () => ({ prompts: (await lists.known()).prompts }));
  server.handle('prompts/get', async (params, context) => {
    const name = textParam(params, 'name', 'prompts/get');
    const args = textOfArguments(objectParam(params, 'arguments', 'prompts/get'));
    const call = { name, args, session: sessionOf(context), caller: callerOf(context) };
    return value(await core.prompt(call, access));
  });
  server.handle('resources/read', async (params, context) => {
    const uri = textParam(params, 'uri', 'resources/read');
    const page = app !== undefined && showsApps(server, context) ? app.read(uri) : undefined;
    if (page !== undefined) return page;
    const mimeType = await lists.typeOf(uri);
    const answer = await core.resource(uri, access);
    if (answer.isError) throw errorOf(answer, isCompat, { uri });
    return { contents: [{ uri, mimeType, text: answer.text }] };
  });
  server.handle('completion/complete', async (params) => {
    return { completion: value(await core.complete(completion(params), access)) };
  });
  if (server.era === 'modern') return;
  server.handle('resources/subscribe', async (params) => {
    const uri = textParam(params, 'uri', 'resources/subscribe');
    if ((await lists.typeOf(uri)) === undefined) {
      // The reference server accepts any URI and never sends notifications for most.
      if (isCompat) return {};
      throw new ProtocolError(RESOURCE_NOT_FOUND, `Resource ${echo(uri)} not found`, { uri });
    }
    await subscriptions.add(uri, [uri]);
    return {};
  });
  server.handle('resources/unsubscribe', async (params) => {
    subscriptions.remove(textParam(params, 'uri', 'resources/unsubscribe'));
    return {};
  });
}

/** The argument to complete. */
function completion(params: Params): Completion {
  const method = 'completion/complete';
  const reference = objectParam(params, 'ref', method);
  const argument = objectParam(params, 'argument', method);
  const known = objectParam(objectParam(params, 'context', method), 'arguments', method);
  return {
    template: templateOf(reference, method),
    part: textParam(argument, 'name', method),
    begun: textParam(argument, 'value', method),
    known: textOfArguments(known),
  };
}

/** What has the argument to complete. */
function templateOf(reference: Params, method: string): string {
  const { type } = reference;
  if (type === 'ref/prompt') return `prompt:${textParam(reference, 'name', method)}`;
  if (type === 'ref/resource') return textParam(reference, 'uri', method);
  throw new ProtocolError(INVALID_PARAMS, `the "ref" of ${method} has the "type" "ref/prompt" or "ref/resource"`);
}

function contentOf(answer: Answer, isCompat: boolean): unknown {
  if (answer.isError) throw errorOf(answer, isCompat);
  return JSON.parse(answer.text);
}

function errorOf({ text }: Answer, isCompat: boolean, data?: Readonly<Record<string, unknown>>): ProtocolError {
  const { error, code } = JSON.parse(text) as { readonly error: string; readonly code: string };
  const notFound = isCompat ? INVALID_PARAMS : RESOURCE_NOT_FOUND;
  const codes: Record<string, number> = {
    resource_not_found: notFound,
    invalid_argument: INVALID_PARAMS,
    domain_not_found: INVALID_PARAMS,
    forbidden: INVALID_PARAMS,
  };
  return new ProtocolError(codes[code] ?? INTERNAL_ERROR, error, data);
}
