/** `limbic-memory hook` and `limbic-memory audit`: what may be said after them. */
import { optionList, type Option, readArguments, variable } from './options.ts';
import { defaultDatabase } from './paths.ts';
import { UsageError } from './usage.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A hook that the host runs, or their installation. */
export type HookRequest =
  | { readonly kind: 'run'; readonly hook: string; readonly db: string; readonly redact: string | undefined }
  | { readonly kind: 'install'; readonly scope: Scope; readonly confirmed: boolean; readonly db: string | undefined };

/** Whose settings the hooks go into. */
export type Scope = 'project' | 'user';

/** What of the audit log is asked for. */
export interface AuditOptions {
  readonly db: string;
  readonly memory: string | undefined;
  readonly user: string | undefined;
  readonly limit: number;
}

const DB: Option = { name: 'db', value: 'PATH', env: 'LIMBIC_DB', text: 'the database' };
const HELP: Option = { name: 'help', text: 'show this' };
const INSTALL_OPTIONS: readonly Option[] = [
  { name: 'scope', value: 'project|user', text: 'whose settings: .claude/settings.json here (project) or in the home folder (user)' },
  { name: 'yes', text: 'write the settings; without it they are only shown' },
  DB,
  HELP,
];
const AUDIT_OPTIONS: readonly Option[] = [
  { name: 'memory', value: 'ID', text: 'only of this memory' },
  { name: 'user', value: 'ID', text: 'only of memories of this user' },
  { name: 'limit', value: 'N', text: 'the most lines, 100 if not given' },
  DB,
  HELP,
];
const DEFAULT_LINES = 100;

/**
 * Reads what stands after `hook`; nothing when help is asked for.
 *
 * @throws UsageError
 */
export function readHookOptions(args: readonly string[], env: Env): HookRequest | undefined {
  const [hook, ...rest] = args;
  if (hook === undefined || hook === '--help') return undefined;
  if (hook === 'install') {
    const given = readArguments(rest, INSTALL_OPTIONS);
    if (given.has('help')) return undefined;
    const scope = given.get('scope') ?? 'project';
    if (scope !== 'project' && scope !== 'user') throw new UsageError(`--scope must be project or user, but is "${scope}"`);
    return { kind: 'install', scope, confirmed: given.has('yes'), db: given.get('db') };
  }
  const given = readArguments(rest, [DB, HELP]);
  if (given.has('help')) return undefined;
  return { kind: 'run', hook, db: given.get('db') ?? variable('db', env) ?? defaultDatabase(env), redact: variable('redact', env) };
}

/**
 * Reads what stands after `audit`; nothing when help is asked for.
 *
 * @throws UsageError
 */
export function readAuditOptions(args: readonly string[], env: Env): AuditOptions | undefined {
  const given = readArguments(args, AUDIT_OPTIONS);
  if (given.has('help')) return undefined;
  const limit = Number(given.get('limit') ?? DEFAULT_LINES);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000) {
    throw new UsageError(`--limit must be a whole number from 1 to 1000000, but is "${given.get('limit') ?? ''}"`);
  }
  return { db: given.get('db') ?? variable('db', env) ?? defaultDatabase(env), memory: given.get('memory'), user: given.get('user'), limit };
}

/** What `hook --help` shows. */
export function hookHelpText(): string {
  return `Usage: limbic-memory hook session-start|session-end|pre-tool-use|post-tool-use [--db PATH]
       limbic-memory hook install [--scope project|user] [--yes] [--db PATH]

A hook reads the JSON that Claude Code gives it on standard input. At the start of a session it tells what is remembered of
the project, before a tool the conventions that concern it, after a tool that failed what helped before, and at the end it
stores the lines that begin with @keep ("@keep decision: One file per tool"). Whatever goes wrong, it ends with 0 and without
output, so that no session breaks; the reason stands on standard error.

install shows what it would add to the settings, and adds it with --yes.

Options of install:
${optionList(INSTALL_OPTIONS)}
`;
}

/** What `audit --help` shows. */
export function auditHelpText(): string {
  return `Usage: limbic-memory audit [options]

Prints what was done to memories, newest first, one JSON object a line: when, what, to which memory, whose, in which session
and why. The log holds no texts.

Options:
${optionList(AUDIT_OPTIONS)}
`;
}
