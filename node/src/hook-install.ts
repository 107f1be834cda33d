/** `limbic-memory hook install`: the hooks in the settings of Claude Code. */
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { textOf } from 'limbic-shell/failure.ts';
import {
  copyPath,
  copyProgram,
  hookCommand,
  hookStart,
  type HookStart,
  runsHook,
  startsOldCopy,
  withCopy,
} from './hook-command.ts';
import { EVENTS } from './hook-events.ts';
import type { HookInstall } from './hook-options.ts';
import { withItem } from './json-edit.ts';
import { log } from './log.ts';

interface Entry {
  readonly matcher?: string;
  readonly hooks: readonly { readonly type: string; readonly command: string }[];
}

/** An entry for an event. */
interface Added {
  readonly event: string;
  readonly entry: Entry;
}

/** The file of the settings, as it is. */
interface SettingsFile {
  /** Where links lead. */
  readonly target: string;
  /** Its text, with its byte order mark; undefined if there is no file. */
  readonly text: string | undefined;
  readonly settings: Record<string, unknown>;
}

/** Some editors write it at the start of a file. */
const BYTE_ORDER_MARK = '\uFEFF';

/** The bits of a mode that are the rights of the group. */
const GROUP_RIGHTS = 0o070;
/** Maximum number of links that lead to the file, as on Linux. */
const MAX_LINKS = 40;

/** Shows what would be added to the settings, or adds it. Returns the exit code. */
export function installHooks(options: HookInstall): number {
  const path = join(options.scope === 'user' ? homedir() : process.cwd(), '.claude', 'settings.json');
  try {
    const file = readSettings(path);
    const planned = hookStart(process.argv[1] ?? '');
    // A database or user that cannot be quoted is refused before anything is written.
    hookCommand(planned, options);
    const missing = missingHooks(file.settings, planned);
    if (missing.length === 0 && hasOldCopy(file.settings)) return renewCopy(path, options.confirmed);
    if (missing.length === 0) {
      const asBefore =
        options.db === undefined && options.user === undefined ? '' : '; their --db and --user were left unchanged';
      process.stdout.write(`Nothing to do: ${path} has the hooks already${asBefore}\n`);
      return 0;
    }
    const start = options.confirmed ? withCopy(planned) : planned;
    const added = entriesFor(missing, hookCommand(start, options));
    if (options.confirmed) write(file, added);
    report(path, added, start, options.confirmed);
    return 0;
  } catch (error) {
    log(`${path} was not changed: ${textOf(error)}`);
    return 2;
  }
}

/** @throws Error if the file is none that can be changed, with the reason. */
function readSettings(path: string): SettingsFile {
  const target = resolveLinks(path);
  const stats = statSync(target, { throwIfNoEntry: false });
  if (stats === undefined) return { target, text: undefined, settings: {} };
  // Reading from a pipe would never end.
  if (!stats.isFile()) throw new Error('it is not a regular file');
  const text = textIn(readFileSync(target));
  const settings: unknown = JSON.parse(withoutByteOrderMark(text));
  if (!isObject(settings)) throw new Error('it is not a JSON object');
  const { hooks = {} } = settings;
  if (!isObject(hooks)) throw new Error('its "hooks" must be a JSON object');
  return { target, text, settings };
}

/** The text of a file, which can be written again as it was. */
function textIn(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new Error('it is not UTF-8');
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function entriesOf(settings: Record<string, unknown>, event: string): readonly Entry[] {
  const entries = ((settings['hooks'] ?? {}) as Record<string, unknown>)[event] ?? [];
  if (!Array.isArray(entries)) throw new Error(`its hooks for ${event} must be a list`);
  const isEntry = (entry: unknown): boolean =>
    isObject(entry) && (!Array.isArray(entry['hooks']) || entry['hooks'].every(isObject));
  if (!entries.every(isEntry)) throw new Error(`its hooks for ${event} must be a list of JSON objects`);
  return entries as readonly Entry[];
}

/** The command lines of the hooks for an event. */
function commandsOf(settings: Record<string, unknown>, event: string): string[] {
  return entriesOf(settings, event)
    .flatMap(({ hooks }) => (Array.isArray(hooks) ? hooks.map(({ command }: { command?: unknown }) => command) : []))
    .filter((command) => typeof command === 'string');
}

/** The hooks that the settings lack. A hook of this program is recognised whatever command starts it. */
function missingHooks(settings: Record<string, unknown>, start: HookStart): typeof EVENTS {
  return EVENTS.filter(({ event, hook }) => !commandsOf(settings, event).some((line) => runsHook(line, hook, start)));
}

/** Whether hooks of the settings start a copy of the program that is gone, or of another version. */
function hasOldCopy(settings: Record<string, unknown>): boolean {
  return EVENTS.some(({ event }) => commandsOf(settings, event).some(startsOldCopy));
}

/** Writes the copy that the hooks of the settings start, or shows that it would be. Returns the exit code. */
function renewCopy(settings: string, isConfirmed: boolean): number {
  const copy = copyPath();
  try {
    if (isConfirmed) copyProgram(copy);
  } catch (error) {
    log(
      `${copy}, which the hooks start, cannot be written: ${textOf(error)}. Remove the hooks from ${settings}, and ` +
        'run the command again',
    );
    return 2;
  }
  report(settings, [], { copy }, isConfirmed);
  return 0;
}

function entriesFor(missing: typeof EVENTS, command: (hook: string) => string): Added[] {
  return missing.map(({ event, hook, matcher }) => ({
    event,
    entry: { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command: command(hook) }] },
  }));
}

/** Prints what was written to the settings and beside the default database, or would be. */
function report(path: string, added: readonly Added[], { copy }: Pick<HookStart, 'copy'>, isDone: boolean): void {
  const hooks = Object.fromEntries(added.map(({ event, entry }) => [event, [entry]]));
  const parts = [
    added.length > 0 && `${isDone ? 'Added' : 'Would be added'} to ${path}:\n${JSON.stringify({ hooks }, null, 2)}`,
    copy !== undefined && `${isDone ? 'Written' : 'Would be written'}: ${copy}, the program that the hooks start`,
    !isDone && `Run the command again with --yes to ${added.length > 0 ? 'add them' : 'write it'}`,
  ];
  process.stdout.write(parts.flatMap((part) => (part === false ? [] : `${part}\n`)).join(''));
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}

/**
 * Adds the hooks atomically, to a temporary file that is renamed. All else in the text is kept as it is written, and so
 * are a symbolic link, the owner, the mode and the byte order mark of the file. It may contain tokens, so nobody else
 * can read the temporary file at any time.
 */
function write({ target, text: before }: SettingsFile, added: readonly Added[]): void {
  const bare = withoutByteOrderMark(before ?? '{}\n');
  const after = added.reduce((text, { event, entry }) => withItem(text, ['hooks', event], entry), bare);
  mkdirSync(dirname(target), { recursive: true });
  const beside = `${target}.limbic-${randomUUID()}`;
  const text = before?.startsWith(BYTE_ORDER_MARK) === true ? BYTE_ORDER_MARK + after : after;
  try {
    writeFileSync(beside, text, { mode: before === undefined ? 0o666 : 0o600, flag: 'wx' });
    if (before !== undefined) keepRights(target, beside);
    renameSync(beside, target);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/**
 * Gives a file the owner, the group and the mode of the one that it replaces. A group that the owner may not give is
 * not kept, and the new one gets no rights.
 */
function keepRights(target: string, beside: string): void {
  const [{ uid, gid, mode }, own] = [statSync(target), statSync(beside)];
  let kept = mode;
  if (uid !== own.uid || gid !== own.gid) {
    try {
      chownSync(beside, uid, gid);
    } catch (error) {
      if (uid !== own.uid) {
        throw new Error(`its owner cannot be kept (${textOf(error)}): run this as its owner`);
      }
      kept = mode & ~GROUP_RIGHTS;
    }
  }
  chmodSync(beside, kept);
}

/**
 * The target of symbolic links, which need not exist; without links, the path itself.
 *
 * @throws Error if the links lead in a circle.
 */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It leads nowhere yet, or in a circle.
  }
  let target = path;
  for (let links = 0; links <= MAX_LINKS; links += 1) {
    let linked: string;
    try {
      linked = readlinkSync(target);
    } catch {
      return target;
    }
    target = resolve(dirname(target), linked);
  }
  throw new Error('it is a link that leads in a circle');
}
