/** The options of `limbic-memory inbox`. */
import {
  DATABASE,
  HELP,
  isReadOnly,
  optionList,
  type Option,
  readDatabase,
  readWordsAndArguments,
  requireWritable,
} from './options.ts';
import { labelOf } from './project.ts';
import { UsageError } from './usage.ts';

/** The working directory, as the label of its project's folder. */
const HERE = '.';

/** An action on what waits for review. */
const ACTIONS = ['list', 'accept', 'reject', 'trust', 'distrust'] as const;

/** The database, the action, and the ids of memories or the labels of origins and folders that it applies to. */
export interface InboxOptions {
  readonly db: string;
  readonly action: (typeof ACTIONS)[number];
  readonly names: readonly string[];
  readonly readOnly: boolean;
}

const INBOX_OPTIONS: readonly Option[] = [DATABASE, HELP];

/**
 * Parses the arguments of `inbox`. Returns `undefined` for `--help`.
 *
 * @throws UsageError
 */
export function readInboxOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): InboxOptions | undefined {
  const { words, given } = readWordsAndArguments(args, INBOX_OPTIONS);
  if (given.has('help')) return undefined;
  const [word = 'list', ...names] = words;
  const action = ACTIONS.find((known) => known === word);
  if (action === undefined)
    throw new UsageError(`the action of inbox must be one of ${ACTIONS.join(', ')}, but got "${word}"`);
  if (action === 'list' && names.length > 0) throw new UsageError('inbox list takes no ids');
  if (action !== 'list' && names.length === 0) {
    const what = action === 'accept' || action === 'reject' ? 'the ids of memories' : 'the labels of origins';
    throw new UsageError(`inbox ${action} needs ${what}; inbox list prints them`);
  }
  if (action !== 'list') requireWritable(`inbox ${action}`, env);
  const isOfOrigins = action === 'trust' || action === 'distrust';
  const labels = names.map((name) => (isOfOrigins && name === HERE ? labelHere() : name));
  return { db: readDatabase(given, env), action, names: labels, readOnly: isReadOnly(env) };
}

function labelHere(): string {
  const label = labelOf(process.cwd());
  if (label !== undefined) return label;
  throw new UsageError(
    `${process.cwd()} has no name that a project could have: add a .limbic.toml with domain = "NAME"`,
  );
}

/** What `inbox --help` shows. */
export function inboxHelpText(): string {
  return `Usage: limbic-memory inbox [list] [--db PATH]
       limbic-memory inbox accept|reject ID... [--db PATH]
       limbic-memory inbox trust|distrust ORIGIN|FOLDER|. ... [--db PATH]

Lists the memories that wait for review, one JSON object per line, or decides about them. Imported
memories, memories that a client pins or puts into the tier l0, and, outside of the project's own
domain, marks of a hook and a client's conventions, decisions and memories in the tier l1 wait:
until they are accepted, hooks show them only in the project where they were written. accept
confirms a memory. reject deletes it, or restores it if it existed before. trust confirms past
and future memories of an origin: client:NAME, hook:PROJECT or import:FILE#ID, as printed by list.

A project's name belongs to the first folder that uses it. In another folder of that name, hooks
withhold the project's memories, and what is stored there waits as if it came from another project.
"inbox trust ." in that folder, or trust with the label project:NAME#DIGEST, confirms it as a folder
of the same project; distrust ends that. list prints the folders of each name that several folders
use. Worktrees and subfolders of a repository need no confirmation.

Options:
${optionList(INBOX_OPTIONS)}
`;
}
