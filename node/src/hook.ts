/** `limbic-memory hook NAME`: a running server answers it, or else the hook runs alone. */
import { closeSync, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { readAt } from './core/file-source.ts';
import { askServer } from './hook-client.ts';
import { HOOKS } from './hook-events.ts';
import type { HookCall } from './hook-messages.ts';
import type { HookRun } from './hook-options.ts';
import { ignoreErrorsOfLog, log } from './log.ts';
import { acceptsSharedDisk, KEY_VARIABLES } from './options.ts';
import { printAtOnce } from './output.ts';
import { projectOf } from './project.ts';

const INPUT = 0;
/** Bytes read from the end of a transcript; lines marked earlier are stored already. */
const MAX_TRANSCRIPT_BYTES = 32 * 1024 * 1024;
/** The hook of the core that stores the marks of a transcript. */
const STORES_MARKS = 'session-end';
/** The hook that does so before the host replaces the conversation by a summary. */
const BEFORE_COMPACTION = 'pre-compact';
/** The mark of a compaction in the transcript. In a text, the quotation marks would be escaped. */
const COMPACTED = '"subtype":"compact_boundary"';

/** Fields of the host's JSON that must be strings if present. */
const TEXTS = ['session_id', 'transcript_path', 'cwd', 'hook_event_name', 'tool_name'] as const;

/** The start of the errors for other input, as the core words it. */
const NO_EVENT = 'A hook needs one JSON object on standard input';

/** The fields of the host's JSON that hooks use. */
type HookEvent = { readonly [key in (typeof TEXTS)[number]]?: string };

/** Runs a hook that no server answers. `input` is the host's JSON as it came. Returns what is to be printed. */
export type Alone = (run: HookRun, call: HookCall, input: string) => Promise<string | undefined>;

/** Runs a hook. Returns the exit code. */
export async function runHook(run: HookRun, alone: Alone): Promise<number> {
  try {
    const output = await answer(run, readFileSync(INPUT, 'utf8'), alone);
    if (output !== undefined) printAtOnce(`${output}\n`);
  } catch (error) {
    ignoreErrorsOfLog();
    const failure = knownFailure(error);
    const what = failure?.code === 'marks_refused' ? 'left something out' : 'did nothing';
    const hint = failure?.hint === undefined ? '' : `. ${failure.hint}`;
    log(`the hook ${run.hook} ${what}: ${failure?.error ?? textOf(error)}${hint}`);
  }
  // Any other exit code would stop the host's session or block the tool.
  return 0;
}

async function answer(run: HookRun, input: string, alone: Alone): Promise<string | undefined> {
  const { hook, db } = run;
  if (!HOOKS.has(hook))
    throw new Error(`the name of a hook must be one of ${[...HOOKS].join(', ')}, but got "${hook}"`);
  const event = readEvent(input);
  const transcript = transcriptFor(hook, event);
  // Without a database there is nothing to read, and a hook that only reads does not create one.
  if (!existsSync(db) && transcript === undefined) return undefined;
  const project = event.cwd === undefined ? undefined : projectOf(event.cwd);
  const named =
    project === undefined
      ? input
      : JSON.stringify({ ...event, limbic_project: project.name, limbic_folder: project.folder });
  const call: HookCall = { hook: transcript === undefined ? hook : STORES_MARKS, input: named, transcript };
  const reply = mayAsk(run, call)
    ? await askServer({ ...run, acceptsSharedDisk: acceptsSharedDisk(process.env) }, call)
    : undefined;
  if (reply === undefined) {
    ignoreErrorsOfLog();
    return alone(run, call, input);
  }
  if ('failure' in reply) throw new Error(JSON.stringify(reply.failure));
  return reply.output;
}

/** Whether a server would do the same: it has no key of the hook, and stores no marks of the assistant. */
function mayAsk({ db, assistantMarks }: HookRun, { transcript }: HookCall): boolean {
  const hasKey = KEY_VARIABLES.some((name) => (process.env[name] ?? '') !== '');
  return !hasKey && existsSync(db) && !(assistantMarks && transcript !== undefined);
}

/** Validates the host's JSON. The core does so as well, but is not called if there is no database. */
function readEvent(input: string): HookEvent {
  let event: unknown;
  try {
    event = JSON.parse(input);
  } catch {
    // The parser's message repeats the input, with its line breaks.
    throw new Error(NO_EVENT);
  }
  if (typeof event !== 'object' || event === null || Array.isArray(event)) throw new Error(NO_EVENT);
  const wrong = TEXTS.find((key) => !['string', 'undefined'].includes(typeof (event as Record<string, unknown>)[key]));
  if (wrong !== undefined) throw new Error(`${NO_EVENT} (${wrong} must be a string)`);
  return event;
}

/**
 * The end of the session's transcript, for hooks that store marks. Before a compaction, the lines that an earlier one
 * has left are not read: their marks are stored, and stating them again would confirm them. The end of the session
 * reads all, because settings made before have no hook for compactions, and so confirms each mark once.
 */
function transcriptFor(hook: string, event: HookEvent): Buffer | undefined {
  if (hook === STORES_MARKS) return readTranscript(event);
  if (hook !== BEFORE_COMPACTION) return undefined;
  const transcript = readTranscript(event);
  return transcript.subarray(Math.max(0, transcript.lastIndexOf(COMPACTED)));
}

function readTranscript({ transcript_path: path }: HookEvent): Buffer {
  if (path === undefined) throw new Error('transcript_path is missing on standard input');
  const file = openSync(path, 'r');
  try {
    const stats = fstatSync(file);
    // A pipe has no size.
    if (!stats.isFile()) return lastOf(readFileSync(file));
    const bytes = Buffer.alloc(Math.min(stats.size, MAX_TRANSCRIPT_BYTES));
    return bytes.subarray(0, readAt(file, bytes, stats.size - bytes.length));
  } finally {
    closeSync(file);
  }
}

function lastOf(bytes: Buffer): Buffer {
  return bytes.subarray(Math.max(0, bytes.length - MAX_TRANSCRIPT_BYTES));
}
