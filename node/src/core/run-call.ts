import type { Core } from 'limbic-pkg/core/limbic_core.js';
import { type CallAnswer, failedBy, taken } from 'limbic-shell/answer.ts';
import type { EncoderLink } from 'limbic-shell/encoder-link.ts';
import type { CallConfirmation, Caller, CoreSession, CoreSettings } from '../messages.ts';
import type { HookCall } from '../hook-messages.ts';
import { questionDigest } from '../question-digest.ts';
import type { Database } from './database.ts';
import { enterAs } from './enter.ts';
import type { FileCallOrder, FileCalls } from './file-calls.ts';
import { shown } from '../addresses.ts';
import { openSource } from './source.ts';
import type { SourceWatch } from './source-watch.ts';

/** The argument to complete, and a JSON object of the other arguments. */
export interface Completion {
  readonly template: string;
  readonly part: string;
  readonly begun: string;
  readonly known: string;
}

interface DatabaseContext {
  readonly database: Database;
  readonly settings: CoreSettings;
}

interface Context extends DatabaseContext {
  readonly link: EncoderLink;
  readonly fileCalls: FileCalls;
  readonly sourceWatch: SourceWatch;
  readonly progress: (done: number, total: number) => void;
  /** Whether a call was cancelled while it waited. */
  readonly isCancelled: (id: number) => boolean;
}

/** A request for a prompt; `args` is JSON text. */
export interface PromptCall {
  readonly name: string;
  readonly args: string;
  readonly session: CoreSession;
  readonly caller: Caller;
}

/** A call of a tool. */
export interface ToolCall extends FileCallOrder {
  readonly confirmation: CallConfirmation | undefined;
}

/** An answer, or the question that a person must answer with yes before the call is run. */
export interface RunAnswer extends CallAnswer {
  readonly question?: string;
}

/**
 * Runs a tool: encodes its texts, then makes the call. A call that reads a file, or waits for the code index, is
 * added to `fileCalls` and has no answer yet. Throws only if the module trapped.
 */
export async function runCall(context: Context, call: ToolCall): Promise<RunAnswer | undefined> {
  const { tool, args } = call;
  try {
    const core = context.database.open();
    if (context.settings.testTrap === tool) core.trap();
    hangForTest(core, context.settings, tool);
    enterAs(core, call);
    const question = openQuestion(core, call);
    if (question !== undefined) return { isError: false, text: '', question };
    const encodings = await context.link.encodingsFor(core, tool, args);
    await context.sourceWatch.reportBefore(() => context.database.open(), tool, args);
    if (context.isCancelled(call.id)) return NOT_RUN;
    return runEncoded(context, call, encodings);
  } catch (error) {
    return failedBy(error);
  }
}

/** The answer to a call that was cancelled before it was run. Nobody waits for it. */
const NOT_RUN: CallAnswer = { isError: true, text: '{}' };

/** Runs a tool after all that it waits for. Another message may have closed the database meanwhile. */
function runEncoded(context: Context, call: ToolCall, encodings: Uint8Array): CallAnswer | undefined {
  const { tool, args, session } = call;
  const core = context.database.open();
  enterAs(core, call);
  if (core.waits(tool, args)) {
    context.fileCalls.addWaiting(call, context.progress);
    return undefined;
  }
  const path = core.file_argument(tool, args);
  if (path === undefined) return taken(core.call(tool, args, encodings, session?.id));
  const source = openSource(path, call.access?.imports);
  if (typeof source === 'string') return taken(core.file_error(shown(path), source));
  context.fileCalls.add(call, source, context.progress);
  return undefined;
}

/** Runs for ever if the settings say so of this tool, resource, prompt or hook, or of background work. */
export function hangForTest(core: Core | undefined, { testHang }: CoreSettings, name: string): void {
  while (testHang === name) core?.data_version();
}

/** Reads a resource. Throws only if the module trapped. */
export function readResource({ database, settings }: DatabaseContext, uri: string): CallAnswer {
  try {
    const core = database.open();
    hangForTest(core, settings, uri);
    return taken(core.read_resource(uri));
  } catch (error) {
    return failedBy(error);
  }
}

/** Renders a prompt. Throws only if the module trapped. */
export function getPrompt({ database, settings }: DatabaseContext, call: PromptCall): CallAnswer {
  const { name, args, session } = call;
  try {
    const core = database.open();
    hangForTest(core, settings, name);
    enterAs(core, call);
    return taken(core.prompt(name, args, session.id));
  } catch (error) {
    return failedBy(error);
  }
}

/**
 * The answer to a hook for which this server cannot open the database: the hook may have a key that the server lacks.
 */
const UNOPENED: CallAnswer = { isError: true, text: '{}' };

/**
 * Runs a hook in a session of its own, which no client shares. The text is what it prints; empty for nothing. Throws
 * only if the module trapped.
 */
export async function runHook(
  { database, link, settings }: DatabaseContext & Pick<Context, 'link'>,
  call: HookCall & { readonly id: number },
): Promise<CallAnswer> {
  const session = `hook ${call.id}`;
  let opened: Core;
  try {
    opened = database.open();
  } catch {
    return UNOPENED;
  }
  try {
    const encodings = await link.encodingsForHook(opened, call.hook, call.input);
    // Another message may have closed the database meanwhile.
    const core = database.open();
    hangForTest(core, settings, call.hook);
    core.enter_stateless(session);
    const text = core.hook(call.hook, call.input, call.transcript, encodings) ?? '';
    core.end_session(session);
    return { isError: false, text };
  } catch (error) {
    const answer = failedBy(error);
    database.current?.end_session(session);
    return answer;
  }
}

/** Completes an argument of a resource template or a prompt. Throws only if the module trapped. */
export function complete(
  { database, settings }: DatabaseContext,
  { template, part, begun, known }: Completion,
): CallAnswer {
  try {
    const core = database.open();
    hangForTest(core, settings, template);
    return taken(core.complete(template, part, begun, known));
  } catch (error) {
    return failedBy(error);
  }
}

/**
 * The question that a person must answer before the call is run. If it has changed since it was answered, it is asked
 * again.
 */
function openQuestion(core: Core, { tool, args, session, confirmation }: ToolCall): string | undefined {
  if (confirmation === undefined) return undefined;
  const question = core.confirmation(tool, args, session?.id);
  return question === undefined || questionDigest(question) === confirmation.accepted ? undefined : question;
}
