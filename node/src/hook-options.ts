/** The options of `limbic-memory hook`. */
import {
  ASSISTANT_MARKS,
  DATABASE,
  HELP,
  isOn,
  optionList,
  type Option,
  readArguments,
  readDatabase,
  readRedact,
  sourceOf,
  USER,
  variable,
} from './options.ts';
import { expandPath, hasVariable } from './paths.ts';
import { UsageError } from './usage.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A hook run or the installation of the hooks. */
export type HookRequest = HookRun | HookInstall;

/** A hook that the host runs. */
export interface HookRun {
  readonly kind: 'run';
  readonly hook: string;
  readonly db: string;
  /** The user whose memories it reads and stores; all users if undefined. */
  readonly user: string | undefined;
  readonly redact: string | undefined;
  /** Also store lines that the assistant marked. */
  readonly assistantMarks: boolean;
}

/** The installation of all hooks. */
export interface HookInstall {
  readonly kind: 'install';
  readonly scope: Scope;
  readonly confirmed: boolean;
  /** Its absolute path; the hooks' default database if none is given. */
  readonly db: string | undefined;
  readonly user: string | undefined;
}

/** The settings file that the hooks are added to. */
export type Scope = 'project' | 'user';

const RUN_OPTIONS: readonly Option[] = [DATABASE, USER, ASSISTANT_MARKS, HELP];
const INSTALL_OPTIONS: readonly Option[] = [
  {
    name: 'scope',
    value: 'project|user',
    text: 'settings to change: .claude/settings.json in this folder (project) or in the home folder (user)',
  },
  { name: 'yes', text: 'write the settings; without it they are only printed' },
  DATABASE,
  USER,
  HELP,
];

/**
 * Parses the arguments of `hook`. Returns `undefined` for `--help`.
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
    if (scope !== 'project' && scope !== 'user')
      throw new UsageError(`--scope must be project or user, but got "${scope}"`);
    const named = given.get('db');
    // Without one, each hook reads LIMBIC_DB: what a hook would refuse there is refused now.
    if (named === undefined) readDatabase(given, env);
    const db = named === undefined ? undefined : expandPath(named, '--db');
    if (db !== undefined && hasVariable(db)) {
      throw new UsageError(
        `--db must lead to a path without variables, because a hook replaces those in its --db, but got "${db}"`,
      );
    }
    return { kind: 'install', scope, confirmed: given.has('yes'), db, user: given.get('user') };
  }
  const given = readArguments(rest, RUN_OPTIONS);
  if (given.has('help')) return undefined;
  return {
    kind: 'run',
    hook,
    db: readDatabase(given, env),
    user: given.get('user') ?? variable('user', env),
    redact: readRedact(sourceOf('redact', given), variable('redact', env)),
    assistantMarks: given.has('assistant-marks') || isOn('assistant-marks', env),
  };
}

/** Returns the output of `hook --help`. */
export function hookHelpText(): string {
  return `Usage: limbic-memory hook session-start|user-prompt-submit|pre-compact|session-end|pre-tool-use|post-tool-use
                           [--user ID] [--db PATH]
       limbic-memory hook install [--scope project|user] [--yes] [--user ID] [--db PATH]

A hook reads Claude Code's JSON on standard input. At the start of a session it prints memories of
the project, with a prompt relevant memories, before a tool call the conventions for it, after a
failed call known fixes. Before the conversation is compacted and at the end of the session it
stores the lines that the user began with @keep, such as "@keep decision: One file per tool",
outside of quotations and code blocks. It reads the project's domain and the shared domain general,
and stores in the project's domain: the one that .limbic.toml names (domain = "atlas"), else the one
with the name of the git repository or the folder, else the default domain, unless that has the name
of another project: then it reads and stores in general only. Without a domain general, it then
reads nothing, and marks are stored in the default domain, where they wait. On any error it exits
with 0 and without output, so that it never stops a session or blocks a tool; the reason is printed
to standard error.

Options of a hook:
${optionList(RUN_OPTIONS)}

install prints the entries that it would add to the settings, and adds them with --yes. The hooks
use its --db and --user. They start hook.cjs of this package; where npx installed it, a copy of a
program beside the default database, which --yes writes as well.

Options of install:
${optionList(INSTALL_OPTIONS)}
`;
}
