/** The options of `limbic-memory audit`, `check` and `compact`, the commands on a whole database. */
import { DATABASE, HELP, optionList, type Option, readArguments, readDatabase, requireWritable } from './options.ts';
import { UsageError } from './usage.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A query of the audit log. */
export interface AuditOptions {
  readonly db: string;
  readonly memory: string | undefined;
  readonly user: string | undefined;
  /** The label of an origin. */
  readonly origin: string | undefined;
  readonly limit: number;
}

const AUDIT_OPTIONS: readonly Option[] = [
  { name: 'memory', value: 'ID', text: 'only lines of this memory' },
  { name: 'user', value: 'ID', text: 'only lines of memories of this user' },
  { name: 'origin', value: 'LABEL', text: 'only lines of this origin, as inbox and audit print it' },
  { name: 'limit', value: 'N', text: 'maximum number of lines (default 100)' },
  DATABASE,
  HELP,
];
/** Options of `check` and `compact`. */
const DATABASE_OPTIONS: readonly Option[] = [DATABASE, HELP];
const DEFAULT_LINES = 100;

/**
 * Parses the arguments of `audit`. Returns `undefined` for `--help`.
 *
 * @throws UsageError
 */
export function readAuditOptions(args: readonly string[], env: Env): AuditOptions | undefined {
  const given = readArguments(args, AUDIT_OPTIONS);
  if (given.has('help')) return undefined;
  const limit = Number(given.get('limit') ?? DEFAULT_LINES);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000) {
    throw new UsageError(`--limit must be a whole number from 1 to 1000000, but got "${given.get('limit') ?? ''}"`);
  }
  const [memory, user, origin] = ['memory', 'user', 'origin'].map((name) => given.get(name));
  return { db: readDatabase(given, env), memory, user, origin, limit };
}

/**
 * Parses the arguments of `check`. Returns the database, or `undefined` for `--help`.
 *
 * @throws UsageError
 */
export function readDatabaseOptions(args: readonly string[], env: Env): string | undefined {
  const given = readArguments(args, DATABASE_OPTIONS);
  return given.has('help') ? undefined : readDatabase(given, env);
}

/**
 * Parses the arguments of `compact`. Returns the database, or `undefined` for `--help`.
 *
 * @throws UsageError, also while `LIMBIC_READ_ONLY` is on.
 */
export function readCompactOptions(args: readonly string[], env: Env): string | undefined {
  const db = readDatabaseOptions(args, env);
  if (db !== undefined) requireWritable('compact', env);
  return db;
}

/** Returns the output of `audit --help`. */
export function auditHelpText(): string {
  return `Usage: limbic-memory audit [options]

Prints the changes of memories, newest first, one JSON object per line: time, action, memory, user,
session, origin and reason. An import is one line with its source and counts. The log contains no
content of memories.

Options:
${optionList(AUDIT_OPTIONS)}
`;
}

/** Returns the output of `check --help`. */
export function checkHelpText(): string {
  return `Usage: limbic-memory check [--db PATH]

Reads the whole database and reports damage: a line on standard output for each finding. Changes
nothing, but undoes the write of a program that was killed. The exit code is 0 if there is no
damage, 1 if there is, and 2 if the database cannot be checked, as one of an earlier version.

Options:
${optionList(DATABASE_OPTIONS)}
`;
}

/** Returns the output of `compact --help`. */
export function compactHelpText(): string {
  return `Usage: limbic-memory compact [--db PATH]

Rebuilds the database without free pages, and without remains of records that earlier versions
deleted. This version overwrites deleted records, so that one run after an upgrade is enough. Needs
about as much memory as the database is large; other programs wait meanwhile.

Options:
${optionList(DATABASE_OPTIONS)}
`;
}
