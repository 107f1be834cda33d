/** `limbic-memory hook install`: the hooks in the settings of Claude Code. */
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
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
import { EVENTS } from './hook-events.ts';
import { log } from './log.ts';
import type { HookInstall } from './hook-options.ts';
import { shellWord } from './shell-words.ts';

declare const LIMBIC_VERSION: string;

interface Entry {
  readonly matcher?: string;
  readonly hooks: readonly { readonly type: string; readonly command: string }[];
}

/** Some editors write it at the start of a file. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Shows what would be added to the settings, or adds it. Returns the exit code. */
export function installHooks(options: HookInstall): number {
  const path = join(options.scope === 'user' ? homedir() : process.cwd(), '.claude', 'settings.json');
  try {
    const settings = readSettings(path);
    const added = missingHooks(settings, command(options));
    if (added.length === 0) {
      const asBefore =
        options.db === undefined && options.user === undefined ? '' : '; their --db and --user were left unchanged';
      process.stdout.write(`Nothing to do: ${path} has the hooks already${asBefore}\n`);
      return 0;
    }
    const hooks = Object.fromEntries(added.map(({ event, entry }) => [event, [entry]]));
    process.stdout.write(
      `${options.confirmed ? 'Added' : 'Would be added'} to ${path}:\n${JSON.stringify({ hooks }, null, 2)}\n`,
    );
    if (options.confirmed) write(path, mergeHooks(settings, added));
    else process.stdout.write('Run the command again with --yes to add them\n');
    return 0;
  } catch (error) {
    log(`${path} was not changed: ${textOf(error)}`);
    return 2;
  }
}

/**
 * The command line of each hook: this program, or npx with this version if npx installed it.
 *
 * @throws UsageError if a path or the user cannot be quoted.
 */
function command({ db, user }: HookInstall): (hook: string) => string {
  const ofDatabase = db === undefined ? '' : ` --db ${shellWord({ text: db, kind: 'path', named: '--db' })}`;
  const ofUser = user === undefined ? '' : ` --user ${shellWord({ text: user, kind: 'text', named: '--user' })}`;
  const start = programLine(process.argv[1] ?? '');
  return (hook) => `${start} hook ${hook}${ofDatabase}${ofUser}`;
}

function programLine(program: string): string {
  if (/[\\/]_npx[\\/]/.test(program) || program === '') return `npx -y limbic-memory@${LIMBIC_VERSION}`;
  const node = shellWord({
    text: process.execPath,
    kind: 'path',
    named: 'the path of Node',
    remedy: ': install Node in another folder',
  });
  const path = shellWord({
    text: resolve(program),
    kind: 'path',
    named: 'the path of limbic-memory',
    remedy: ': install it in another folder, or run it by npx',
  });
  return `${node} ${path}`;
}

function readSettings(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {};
  const settings: unknown = JSON.parse(withoutByteOrderMark(readFileSync(path, 'utf8')));
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    throw new Error('it is not a JSON object');
  const { hooks = {} } = settings as { hooks?: unknown };
  if (typeof hooks !== 'object' || hooks === null || Array.isArray(hooks))
    throw new Error('its "hooks" must be a JSON object');
  return settings as Record<string, unknown>;
}

function entriesOf(settings: Record<string, unknown>, event: string): readonly Entry[] {
  const entries = ((settings['hooks'] ?? {}) as Record<string, unknown>)[event] ?? [];
  if (!Array.isArray(entries)) throw new Error(`its hooks for ${event} must be a list`);
  return entries as readonly Entry[];
}

/** The hooks that the settings lack. A hook of this program is recognised whatever command starts it. */
function missingHooks(
  settings: Record<string, unknown>,
  start: (hook: string) => string,
): { event: string; entry: Entry }[] {
  const isThere = (event: string, hook: string): boolean =>
    entriesOf(settings, event).some(
      ({ hooks }) =>
        Array.isArray(hooks) &&
        hooks.some(
          ({ command: known }) =>
            typeof known === 'string' && /limbic|main\.js/.test(known) && known.includes(`hook ${hook}`),
        ),
    );
  return EVENTS.filter(({ event, hook }) => !isThere(event, hook)).map(({ event, hook, matcher }) => ({
    event,
    entry: { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command: start(hook) }] },
  }));
}

function mergeHooks(
  settings: Record<string, unknown>,
  added: readonly { event: string; entry: Entry }[],
): Record<string, unknown> {
  const hooks: Record<string, unknown> = { ...(settings['hooks'] as Record<string, unknown> | undefined) };
  for (const { event, entry } of added) hooks[event] = [...entriesOf(settings, event), entry];
  return { ...settings, hooks };
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}

/**
 * Writes the settings atomically, to a temporary file that is renamed. A symbolic link is preserved, and the file keeps
 * its mode and its byte order mark. It may contain tokens, so nobody else can read the temporary file at any time.
 */
function write(path: string, settings: Record<string, unknown>): void {
  const target = resolveLinks(path);
  mkdirSync(dirname(target), { recursive: true });
  const beside = `${target}.limbic-${randomUUID()}`;
  const isThere = existsSync(target);
  const mark = isThere && readFileSync(target, 'utf8').startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const text = `${mark}${JSON.stringify(settings, null, 2)}\n`;
  try {
    writeFileSync(beside, text, { mode: isThere ? 0o600 : 0o666, flag: 'wx' });
    if (isThere) chmodSync(beside, statSync(target).mode);
    renameSync(beside, target);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** The target of symbolic links, which need not exist; without links, the path itself. */
function resolveLinks(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  let linked: string;
  try {
    linked = readlinkSync(path);
  } catch {
    return path;
  }
  return resolveLinks(resolve(dirname(path), linked));
}
