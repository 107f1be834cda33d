/** The options of `limbic-memory token`. */
import { DATABASE, HELP, optionList, type Option, readDatabase, readWordsAndArguments } from './options.ts';
import { type KnownToolsets, tokenRights } from './token-rights.ts';
import { NAME_RULE, type TokenRights, TokenStore } from './token-store.ts';
import { UsageError } from './usage.ts';

const ACTIONS = ['list', 'create', 'revoke'] as const;

/** The database, the action, and its token. */
export type TokenOptions = { readonly db: string } & (
  | { readonly action: 'list' }
  | { readonly action: 'create'; readonly name: string; readonly rights: TokenRights }
  | { readonly action: 'revoke'; readonly name: string }
);

const TOKEN_OPTIONS: readonly Option[] = [
  DATABASE,
  { name: 'toolsets', value: 'A,B', text: "create: toolsets of its calls (default: the server's)" },
  { name: 'read-only', text: 'create: allow reading only' },
  { name: 'user', value: 'ID', text: 'create: limit calls to the memories of this user, without the graph' },
  { name: 'explorer', text: 'create: also allow the explorer, which shows and edits everything' },
  { name: 'expires', value: 'TIME', text: 'create: a number of days such as 90d, or a date such as 2027-01-31' },
  HELP,
];

/**
 * Parses the arguments of `token`. Returns `undefined` for `--help`.
 *
 * @param known the names of the toolsets.
 * @throws UsageError
 */
export function readTokenOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  known: KnownToolsets,
): TokenOptions | undefined {
  const { words, given } = readWordsAndArguments(args, TOKEN_OPTIONS);
  if (given.has('help')) return undefined;
  const db = readDatabase(given, env);
  const [word = 'list', name, ...more] = words;
  const action = ACTIONS.find((known) => known === word);
  if (action === undefined)
    throw new UsageError(`the action of token must be one of ${ACTIONS.join(', ')}, but got "${word}"`);
  const foreign = action === 'create' ? [] : [...given.keys()].filter((option) => option !== 'db');
  if (foreign.length > 0) throw new UsageError(`--${foreign[0]} belongs to token create`);
  if (action === 'list') {
    if (name !== undefined) throw new UsageError('token list takes no name');
    return { db, action };
  }
  if (name === undefined || more.length > 0) throw new UsageError(`token ${action} needs one name`);
  if (!TokenStore.isName(name)) throw new UsageError(NAME_RULE);
  return action === 'revoke' ? { db, action, name } : { db, action, name, rights: rights(given, known) };
}

function rights(given: ReadonlyMap<string, string>, known: KnownToolsets): TokenRights {
  const toolsets = given
    .get('toolsets')
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const rights = {
    toolsets,
    readOnly: given.has('read-only'),
    user: given.get('user'),
    explorer: given.has('explorer'),
    expires: given.get('expires'),
  };
  return tokenRights(rights, known, '--');
}

/** Returns the output of `token --help`. */
export function tokenHelpText(): string {
  return `Usage: limbic-memory token [list] [--db PATH]
       limbic-memory token create NAME [--toolsets A,B] [--read-only] [--user ID] [--expires TIME] [--db PATH]
       limbic-memory token create NAME --explorer [--read-only] [--expires TIME] [--db PATH]
       limbic-memory token revoke NAME [--db PATH]

Tokens for clients over HTTP, each with a name and its rights. create prints the token, which is not
stored: keep it. list prints one JSON object per line. A token that is revoked or has expired is
refused from the next request on, in open sessions too. With --user, calls reach only what belongs
to that user: neither the graph of entities, nor the code index, nor the explorer. The token of
--token (LIMBIC_TOKEN), or the random one that the server makes, is limited by the server's options
only.

Options:
${optionList(TOKEN_OPTIONS)}
`;
}
