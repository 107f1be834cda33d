/** The options of `limbic-memory unlock`. */
import { DATABASE, HELP, optionList, type Option, readArguments, readDatabase } from './options.ts';

/** The database, and whether its locks are removed. */
export interface UnlockOptions {
  readonly db: string;
  readonly confirmed: boolean;
}

const UNLOCK_OPTIONS: readonly Option[] = [
  DATABASE,
  { name: 'yes', text: 'remove the locks; without it they are only shown' },
  HELP,
];

/**
 * Parses the arguments of `unlock`. Returns `undefined` for `--help`.
 *
 * @throws UsageError
 */
export function readUnlockOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): UnlockOptions | undefined {
  const given = readArguments(args, UNLOCK_OPTIONS);
  if (given.has('help')) return undefined;
  return { db: readDatabase(given, env), confirmed: given.has('yes') };
}

/** Returns the output of `unlock --help`. */
export function unlockHelpText(): string {
  return `Usage: limbic-memory unlock [--db PATH] [--yes]

Shows which programs hold locks on a database, and removes the locks of programs that are not known
to be running: those of another machine, or of this one before a restart where there are no named
pipes. Locks of running programs, and other files, are never removed. The exit code is 1 if locks
remain because --yes was not given.

Options:
${optionList(UNLOCK_OPTIONS)}
`;
}
