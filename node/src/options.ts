/** The command line and the environment: options and their strict parsing. */
import { httpOptions, type HttpOptions } from './http-options.ts';
import { currentToolset, type OutputSchemas } from './tool-catalog.ts';
import { suggest } from './suggest.ts';
import { shown } from './addresses.ts';
import { defaultDatabase, expandPath } from './paths.ts';
import { isYes, requireUtf8, UsageError } from './usage.ts';

/** The options of the server. */
export interface Options {
  readonly db: string;
  /** Whether the database is encrypted before it is opened. */
  readonly encrypts: boolean;
  /** Whether the database may be on a disk to which other machines can write. */
  readonly acceptsSharedDisk: boolean;
  /** Chosen toolsets; none means the default ones. */
  readonly toolsets: readonly string[];
  /** The option or the variable that has them. */
  readonly toolsetsSource: string;
  /** Output schemas in the list of tools; by default none for agents. */
  readonly outputSchemas: OutputSchemas | undefined;
  readonly readOnly: boolean;
  readonly compat: string | undefined;
  /** The only user whose memories are read and stored. */
  readonly user: string | undefined;
  /** Folder from which clients over HTTP may import. */
  readonly importDir: string | undefined;
  /** Days to keep searches in the log; the core's default if undefined. */
  readonly searchLogDays: number | undefined;
  readonly privateLog: boolean;
  /** The data that is removed from memories before they are stored: `pii` or nothing. */
  readonly redact: string | undefined;
  readonly scanGraph: boolean;
  /** Folder whose projects may be indexed; the working directory if none is given. */
  readonly codeRoot: string | undefined;
  /** Folder with another model; the packaged one if none is given. */
  readonly modelDir: string | undefined;
  /** Number of dimensions that the vectors of that model are truncated to. */
  readonly modelDimensions: number | undefined;
  readonly usesModel: boolean;
  readonly testClockMillis: number | undefined;
  readonly testEncoder: boolean;
  readonly settle: boolean;
  /** How to serve over HTTP, if at all. */
  readonly http: HttpOptions | undefined;
}

/** Commands that read arguments of their own. */
const COMMANDS = ['export', 'hook', 'audit', 'inbox', 'token', 'check', 'compact', 'unlock', 'key', 'model'] as const;

/** A command that reads arguments of its own. */
export interface Command {
  readonly kind: (typeof COMMANDS)[number];
  readonly args: readonly string[];
}

/** The request of a command line. */
export type Request =
  | { readonly kind: 'serve'; readonly options: Options; readonly warnings: readonly string[] }
  | Command
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

/** An option of a command. */
export interface Option {
  readonly name: string;
  /** The name of its value; a flag has none. */
  readonly value?: string;
  /** The value is optional; a separate argument is its value only if it matches. */
  readonly optional?: RegExp;
  readonly env?: string;
  readonly text: string;
  readonly forTests?: boolean;
}

/** The number of dimensions of a model's vectors. */
export const MODEL_DIMENSIONS: Option = {
  name: 'model-dimensions',
  value: 'N',
  env: 'LIMBIC_MODEL_DIMENSIONS',
  text: 'truncate the vectors of that model to their first N dimensions, as Matryoshka models allow',
};

/** An option of the commands on an existing database. */
export const DATABASE: Option = { name: 'db', value: 'PATH', env: 'LIMBIC_DB', text: 'the database' };

/** An option of every command. */
export const HELP: Option = { name: 'help', text: 'show this help' };

/** An option of servers and hooks. */
export const USER: Option = {
  name: 'user',
  value: 'ID',
  env: 'LIMBIC_USER',
  text: 'only user whose memories are read and stored (default: all users); servers then offer no graph',
};

/** Every option, in reading order. `--help` is made from this list. */
export const OPTIONS: readonly Option[] = [
  { name: 'db', value: 'PATH', env: 'LIMBIC_DB', text: 'database file; created if it does not exist' },
  {
    name: 'encrypt',
    env: 'LIMBIC_ENCRYPT',
    text: 'encrypt the database first, unless it is encrypted; see limbic-memory key --help',
  },
  {
    name: 'shared-disk',
    env: 'LIMBIC_SHARED_DISK',
    text: 'accept a database on a network or shared disk that one machine at a time uses',
  },
  { name: 'toolsets', value: 'A,B', env: 'LIMBIC_TOOLSETS', text: 'toolsets to offer, or "all"' },
  {
    name: 'output-schemas',
    value: 'HOW',
    env: 'LIMBIC_OUTPUT_SCHEMAS',
    text: 'output schemas in the list of tools: full, short or none (default)',
  },
  { name: 'read-only', env: 'LIMBIC_READ_ONLY', text: 'offer only tools that change nothing' },
  USER,
  {
    name: 'compat',
    value: 'NAME',
    env: 'LIMBIC_COMPAT',
    text: 'offer the tools of another server: server-memory or memory-graph, or beside those of Limbic the code tools of memory-mcp-server',
  },
  {
    name: 'search-log-days',
    value: 'N',
    env: 'LIMBIC_SEARCH_LOG_DAYS',
    text: 'days to keep searches in the search log (default 90); 0 disables the log',
  },
  { name: 'private-log', env: 'LIMBIC_PRIVATE_LOG', text: 'do not store the query text in the search log' },
  {
    name: 'redact',
    value: 'pii',
    env: 'LIMBIC_REDACT',
    text: 'remove e-mail addresses, phone and card numbers and IP addresses from memories',
  },
  {
    name: 'scan-graph',
    env: 'LIMBIC_SCAN_GRAPH',
    text: 'refuse secrets in the graph also with --compat server-memory, which otherwise stores what it is given',
  },
  {
    name: 'code-root',
    value: 'DIR',
    env: 'LIMBIC_CODE_ROOT',
    text: 'folder whose projects may be indexed (toolset code; default: the working directory)',
  },
  {
    name: 'model',
    value: 'DIR',
    env: 'LIMBIC_MODEL',
    text: 'folder with another sentence model: model.onnx, tokenizer.json and its configuration',
  },
  MODEL_DIMENSIONS,
  { name: 'no-model', env: 'LIMBIC_NO_MODEL', text: 'keyword search only' },
  {
    name: 'http',
    value: '[HOST:]PORT',
    env: 'LIMBIC_HTTP',
    text: 'also serve MCP over HTTP (default host 127.0.0.1), or on a Unix socket with unix:PATH',
  },
  {
    name: 'ui',
    value: '[PORT]',
    optional: /^\d+$/,
    env: 'LIMBIC_UI',
    text: 'serve the explorer (a web page for the memory) and MCP over HTTP, at a free port if none is given',
  },
  {
    name: 'token',
    value: 'TEXT',
    env: 'LIMBIC_TOKEN',
    text: 'token that MCP clients over HTTP must send, besides those of limbic-memory token; random if omitted',
  },
  {
    name: 'page-token',
    value: 'TEXT',
    env: 'LIMBIC_PAGE_TOKEN',
    text: 'token of the explorer; random if omitted',
  },
  {
    name: 'import-dir',
    value: 'DIR',
    env: 'LIMBIC_IMPORT_DIR',
    text: 'folder whose files clients over HTTP may import (default: none)',
  },
  {
    name: 'public-url',
    value: 'URL',
    env: 'LIMBIC_PUBLIC_URL',
    text: 'address of a proxy with TLS in front of the server, such as https://memory.example',
  },
  HELP,
  { name: 'version', text: 'show the version' },
  { name: 'test-clock', value: 'MILLIS', text: 'stop the clock at this time', forTests: true },
  { name: 'test-encoder', text: 'use a deterministic encoder instead of the model', forTests: true },
  { name: 'settle', text: 'run each call only when the embedding queue is empty', forTests: true },
];

/** An option of the hook at the end of a session. */
export const ASSISTANT_MARKS: Option = {
  name: 'assistant-marks',
  env: 'LIMBIC_ASSISTANT_MARKS',
  text: 'also store lines that the assistant began with @keep (default: only those that the user typed)',
};

/** Maximum of `--search-log-days`: a hundred years. */
const MAX_LOG_DAYS = 36_500;
const COMPAT_NAMES = ['server-memory', 'memory-graph', 'memory-mcp-server'];
const OUTPUT_SCHEMAS = ['full', 'short', 'none'];
const REDACTED = ['pii'];
/** Variables without an option: others can see the arguments of a program. */
export const KEY_VARIABLES = [
  'LIMBIC_KEY',
  'LIMBIC_KEY_FILE',
  'LIMBIC_PASSPHRASE',
  'LIMBIC_PASSPHRASE_FILE',
  'LIMBIC_NEW_PASSPHRASE',
  'LIMBIC_NEW_PASSPHRASE_FILE',
];
/** All options that have a variable. */
const ALL_OPTIONS: readonly Option[] = [...OPTIONS, ASSISTANT_MARKS];

function isCommand(word: string | undefined): word is (typeof COMMANDS)[number] {
  return COMMANDS.some((command) => command === word);
}

/**
 * Parses the command line (without the program's name) and the environment. An argument overrides a variable.
 *
 * @throws UsageError for an unknown option or a value that cannot be used.
 */
export function readOptions(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Request {
  const [command] = args;
  if (isCommand(command)) return { kind: command, args: args.slice(1) } as Request;
  const given = readArguments(args, OPTIONS);
  if (given.has('help')) return { kind: 'help' };
  if (given.has('version')) return { kind: 'version' };
  if (given.has('model') && given.has('no-model')) {
    throw new UsageError('--model and --no-model cannot be combined: give one of them');
  }
  const text = (name: string): string | undefined => given.get(name) ?? variable(name, env);
  const from = (name: string): string => sourceOf(name, given);
  const on = (name: string): boolean => given.has(name) || isOn(name, env);
  if (text('user') !== undefined && text('compat') !== undefined) {
    throw new UsageError(
      '--user (LIMBIC_USER) and --compat cannot be combined: the tools of other servers cannot be limited to a user',
    );
  }
  return {
    kind: 'serve',
    options: {
      db: readDatabase(given, env),
      encrypts: on('encrypt'),
      acceptsSharedDisk: on('shared-disk'),
      toolsets: (text('toolsets') ?? '')
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
      toolsetsSource: from('toolsets'),
      outputSchemas: oneOf(from('output-schemas'), text('output-schemas'), OUTPUT_SCHEMAS) as OutputSchemas | undefined,
      readOnly: on('read-only'),
      compat: oneOf(from('compat'), text('compat'), COMPAT_NAMES),
      user: text('user'),
      importDir: readPath('import-dir', given, env),
      searchLogDays: days(from('search-log-days'), text('search-log-days')),
      privateLog: on('private-log'),
      redact: readRedact(from('redact'), text('redact')),
      scanGraph: on('scan-graph'),
      codeRoot: readPath('code-root', given, env),
      modelDir: readPath('model', given, env),
      modelDimensions: readDimensions(from('model-dimensions'), text('model-dimensions')),
      usesModel: given.has('model') || !on('no-model'),
      testClockMillis: wholeNumber('test-clock', text('test-clock')),
      testEncoder: on('test-encoder'),
      settle: on('settle'),
      http: httpOptions({
        http: text('http'),
        ui: given.get('ui') ?? variable('ui', env),
        token: text('token'),
        pageToken: text('page-token'),
        publicUrl: text('public-url'),
        given,
      }),
    },
    warnings: unknownVariables(env),
  };
}

/**
 * The absolute path of the selected database, or of the default one.
 *
 * @throws UsageError
 */
export function readDatabase(
  given: ReadonlyMap<string, string>,
  env: Readonly<Record<string, string | undefined>>,
): string {
  return readPath('db', given, env) ?? requireUtf8(defaultDatabase(env), 'the data folder', 'name the database');
}

function readPath(
  name: string,
  given: ReadonlyMap<string, string>,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const argument = given.get(name);
  if (argument !== undefined) return expandPath(argument, `--${name}`);
  const value = variable(name, env);
  return value === undefined
    ? undefined
    : expandPath(value, ALL_OPTIONS.find((option) => option.name === name)?.env ?? name);
}

/**
 * Refuses a command that changes the database while `LIMBIC_READ_ONLY` is on.
 *
 * @throws UsageError
 */
export function requireWritable(command: string, env: Readonly<Record<string, string | undefined>>): void {
  if (!isReadOnly(env)) return;
  throw new UsageError(`LIMBIC_READ_ONLY is on, but ${command} changes the database: unset it for this command`);
}

/** Whether `LIMBIC_READ_ONLY` is on, for commands without the option. */
export function isReadOnly(env: Readonly<Record<string, string | undefined>>): boolean {
  return isOn('read-only', env);
}

/** Validates `--redact`; an unknown value is an error, so that personal data is not stored by mistake. */
export function readRedact(source: string, value: string | undefined): string | undefined {
  return oneOf(source, value, REDACTED);
}

/** What a value comes from, for errors: the option if it is given, else its variable. */
export function sourceOf(name: string, given: ReadonlyMap<string, string>): string {
  return given.has(name) ? `--${name}` : (ALL_OPTIONS.find((option) => option.name === name)?.env ?? `--${name}`);
}

/** Rejects a toolset without tools, or without tools for one user if there is one. */
export function checkToolsets(
  { toolsets, toolsetsSource, user }: Pick<Options, 'toolsets' | 'toolsetsSource' | 'user'>,
  catalog: { toolsets(): string[]; toolsetsOfUsers(): string[] },
): void {
  for (const name of toolsets) oneOf(toolsetsSource, currentToolset(name), [...catalog.toolsets(), 'all']);
  if (user === undefined) return;
  const usable = [...catalog.toolsetsOfUsers(), 'all'];
  const wrong = toolsets.find((name) => !usable.includes(currentToolset(name)));
  if (wrong === undefined) return;
  throw new UsageError(
    `${toolsetsSource} ${wrong} has no tools for one user: leave it out, or --user (LIMBIC_USER) (usable: ${usable.join(', ')})`,
  );
}

/** Formats options as help text. */
export function optionList(options: readonly Option[]): string {
  return options
    .map((option) => {
      const left = `--${option.name}${option.value === undefined ? '' : ` ${option.value}`}`;
      return `  ${left.padEnd(20)} ${option.text}${option.env === undefined ? '' : ` (${option.env})`}`;
    })
    .join('\n');
}

/**
 * Parses arguments. Returns the values by option name; a flag has an empty value.
 *
 * @throws UsageError
 */
export function readArguments(args: readonly string[], options: readonly Option[]): Map<string, string> {
  const given = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const argument = args[i] ?? '';
    const [, name = argument, attached] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
    const option = argument.startsWith('--') ? options.find((known) => known.name === name) : undefined;
    if (option === undefined) throw new UsageError(unknownArgument(argument, name, options));
    if (option.value === undefined) {
      if (attached !== undefined) throw new UsageError(`--${name} takes no value, but got "${attached}"`);
      given.set(name, '');
      continue;
    }
    if (option.optional !== undefined && attached === undefined && !option.optional.test(args[i + 1] ?? '')) {
      given.set(name, '');
      continue;
    }
    const value = attached ?? args[++i];
    if (value === undefined || value === '' || (attached === undefined && value.startsWith('--'))) {
      throw new UsageError(`--${name} needs a value: --${name} ${option.value}`);
    }
    given.set(name, requireUtf8(value, `--${name}`));
  }
  return given;
}

/**
 * Parses arguments with words before, between and after the options.
 *
 * @throws UsageError
 */
export function readWordsAndArguments(
  args: readonly string[],
  options: readonly Option[],
): { readonly words: readonly string[]; readonly given: ReadonlyMap<string, string> } {
  const words: string[] = [];
  const rest: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const argument = args[i] ?? '';
    if (!argument.startsWith('--')) {
      words.push(argument);
      continue;
    }
    const takesValue = options.some(({ name, value }) => value !== undefined && argument === `--${name}`);
    rest.push(...args.slice(i, i + (takesValue ? 2 : 1)));
    if (takesValue) i += 1;
  }
  return { words, given: readArguments(rest, options) };
}

function unknownArgument(argument: string, name: string, options: readonly Option[]): string {
  if (!argument.startsWith('--')) {
    const command = options === OPTIONS ? suggest(argument, COMMANDS) : undefined;
    return `unexpected argument "${shown(argument)}"${command === undefined ? '' : `. Did you mean the command ${command}?`}`;
  }
  const near = suggest(
    name,
    options.map((option) => option.name),
  );
  return `unknown option ${shown(`--${name}`)}${near === undefined ? '' : `. Did you mean --${near}?`}`;
}

/** The value of an option's variable. An empty variable counts as unset: many clients pass on empty fields. */
export function variable(name: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const variableName = ALL_OPTIONS.find((option) => option.name === name)?.env;
  const value = variableName === undefined ? undefined : env[variableName];
  return value === '' ? undefined : requireUtf8(value, variableName ?? name);
}

export function isOn(name: string, env: Readonly<Record<string, string | undefined>>): boolean {
  const value = variable(name, env);
  const variableName = OPTIONS.find((option) => option.name === name)?.env ?? name;
  return value !== undefined && isYes(variableName, value);
}

/** Whether `LIMBIC_SHARED_DISK` is set, for commands without the option. */
export function acceptsSharedDisk(env: Readonly<Record<string, string | undefined>>): boolean {
  return isOn('shared-disk', env);
}

/**
 * Checks that a value is one of some words. `source` is the option or the variable that has it.
 *
 * @throws UsageError
 */
export function oneOf(source: string, value: string | undefined, known: readonly string[]): string | undefined {
  if (value === undefined || known.includes(value)) return value;
  const near = suggest(value, known);
  const list = known.length === 1 ? `"${known[0]}"` : `one of ${known.join(', ')}`;
  throw new UsageError(
    `${source} must be ${list}, but got "${value}"${near === undefined ? '' : `. Did you mean "${near}"?`}`,
  );
}

/**
 * Validates a number of dimensions.
 *
 * @throws UsageError
 */
export function readDimensions(source: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number === 0 || number % 8 !== 0) {
    throw new UsageError(`${source} must be a multiple of 8, but got "${value}"`);
  }
  return number;
}

function wholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!/^-?\d+$/.test(value) || !Number.isSafeInteger(number)) {
    throw new UsageError(`--${name} must be a whole number, but got "${value}"`);
  }
  return number;
}

function days(source: string, value: string | undefined): number | undefined {
  if (value === undefined || (/^\d+$/.test(value) && Number(value) <= MAX_LOG_DAYS)) {
    return value === undefined ? undefined : Number(value);
  }
  throw new UsageError(`${source} must be a whole number from 0 to ${MAX_LOG_DAYS}, but got "${value}"`);
}

/** Warnings about unknown variables with our prefix. They are not errors, since another program may use the prefix. */
function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = [...ALL_OPTIONS.flatMap((option) => option.env ?? []), ...KEY_VARIABLES];
  return Object.keys(env)
    .filter((name) => name.startsWith('LIMBIC_') && !name.startsWith('LIMBIC_TEST_') && !known.includes(name))
    .map((name) => {
      const near = suggest(name, known);
      return `the variable ${name} is unknown and has no effect${near === undefined ? '' : `. Did you mean ${near}?`}`;
    });
}
