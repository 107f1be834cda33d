/** The command line and the environment: what may be said, and reading it strictly. */
import { httpOptions, type HttpOptions } from './http-options.ts';
import { suggest } from './suggest.ts';
import { databasePath, defaultDatabase, expandPath } from './paths.ts';
import { isYes, UsageError } from './usage.ts';

/** What the server was asked to be. */
export interface Options {
  readonly db: string;
  /** Chosen toolsets; none means the default ones. */
  readonly toolsets: readonly string[];
  readonly readOnly: boolean;
  readonly compat: string | undefined;
  /** Days that searches stay in the log; the core's default if none are given. */
  readonly searchLogDays: number | undefined;
  readonly privateLog: boolean;
  /** What is taken out of memories before they are stored: `pii`, or nothing. */
  readonly redact: string | undefined;
  /** Folder with another model; the packaged one if none is given. */
  readonly modelDir: string | undefined;
  readonly usesModel: boolean;
  readonly testClockMillis: number | undefined;
  readonly testEncoder: boolean;
  readonly settle: boolean;
  /** How to serve over HTTP, if at all. */
  readonly http: HttpOptions | undefined;
}

/** What the command line asks for. */
export type Request =
  | { readonly kind: 'serve'; readonly options: Options; readonly warnings: readonly string[] }
  | { readonly kind: 'export'; readonly args: readonly string[] }
  | { readonly kind: 'hook'; readonly args: readonly string[] }
  | { readonly kind: 'audit'; readonly args: readonly string[] }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

/** An option of a command. */
export interface Option {
  readonly name: string;
  /** What stands behind it; a switch has none. */
  readonly value?: string;
  /** The value may be left out; if it stands apart it must look like this. */
  readonly optional?: RegExp;
  readonly env?: string;
  readonly text: string;
  readonly forTests?: boolean;
}

/** Every option, in reading order. `--help` is made from this list. */
export const OPTIONS: readonly Option[] = [
  { name: 'db', value: 'PATH', env: 'LIMBIC_DB', text: 'database file; made if it is missing' },
  { name: 'toolsets', value: 'A,B', env: 'LIMBIC_TOOLSETS', text: 'toolsets to offer, or "all"' },
  { name: 'read-only', env: 'LIMBIC_READ_ONLY', text: 'offer only tools that change nothing' },
  {
    name: 'compat',
    value: 'NAME',
    env: 'LIMBIC_COMPAT',
    text: 'offer the tools of another server: server-memory or memory-graph',
  },
  {
    name: 'search-log-days',
    value: 'N',
    env: 'LIMBIC_SEARCH_LOG_DAYS',
    text: 'days that searches stay in the log, 90 if not given; 0 logs none',
  },
  { name: 'private-log', env: 'LIMBIC_PRIVATE_LOG', text: 'keep the words of questions out of that log' },
  {
    name: 'redact',
    value: 'pii',
    env: 'LIMBIC_REDACT',
    text: 'take e-mail addresses, phone and card numbers and IP addresses out of memories',
  },
  { name: 'model', value: 'DIR', env: 'LIMBIC_MODEL', text: 'folder with another model.onnx and tokenizer.json' },
  { name: 'no-model', env: 'LIMBIC_NO_MODEL', text: 'search by words only' },
  {
    name: 'http',
    value: '[HOST:]PORT',
    env: 'LIMBIC_HTTP',
    text: 'serve MCP over HTTP, too; 127.0.0.1 unless a host is given',
  },
  {
    name: 'ui',
    value: '[PORT]',
    optional: /^\d+$/,
    env: 'LIMBIC_UI',
    text: 'serve the explorer, a page that shows the memory, and MCP',
  },
  {
    name: 'token',
    value: 'TEXT',
    env: 'LIMBIC_TOKEN',
    text: 'what HTTP clients must show; a random one if it is left out',
  },
  { name: 'help', text: 'show this' },
  { name: 'version', text: 'show the version' },
  { name: 'test-clock', value: 'MILLIS', text: 'stop the clock at this time', forTests: true },
  { name: 'test-encoder', text: 'encode by a simple rule in place of the model', forTests: true },
  { name: 'settle', text: 'run each call only when nothing is left to encode', forTests: true },
];

/** What hooks alone are told. */
export const USER: Option = {
  name: 'user',
  value: 'ID',
  env: 'LIMBIC_USER',
  text: 'whose memories hooks tell of and store; of all users if not given',
};

/** The longest that searches stay in the log: a hundred years. */
const MAX_LOG_DAYS = 36_500;
const COMPAT_NAMES = ['server-memory', 'memory-graph'];
const REDACTED = ['pii'];
/** Whatever a variable may stand for. */
const ALL_OPTIONS: readonly Option[] = [...OPTIONS, USER];

/**
 * Reads the command line (without the program's name) and the environment. An argument outweighs a variable.
 *
 * @throws UsageError for an unknown option or a value that cannot be used.
 */
export function readOptions(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Request {
  const [command] = args;
  if (command === 'export' || command === 'hook' || command === 'audit') return { kind: command, args: args.slice(1) };
  const given = readArguments(args, OPTIONS);
  if (given.has('help')) return { kind: 'help' };
  if (given.has('version')) return { kind: 'version' };
  if (given.has('model') && given.has('no-model')) {
    throw new UsageError('--model and --no-model contradict each other: give one of them');
  }
  const text = (name: string): string | undefined => given.get(name) ?? variable(name, env);
  const on = (name: string): boolean => given.has(name) || isOn(name, env);
  return {
    kind: 'serve',
    options: {
      db: readDatabase(given, env),
      toolsets: (text('toolsets') ?? '')
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
      readOnly: on('read-only'),
      compat: oneOf('compat', text('compat'), COMPAT_NAMES),
      searchLogDays: days('search-log-days', text('search-log-days')),
      privateLog: on('private-log'),
      redact: readRedact(text('redact')),
      modelDir: readPath('model', given, env),
      usesModel: given.has('model') || !on('no-model'),
      testClockMillis: wholeNumber('test-clock', text('test-clock')),
      testEncoder: on('test-encoder'),
      settle: on('settle'),
      http: httpOptions(text('http'), given.get('ui') ?? variable('ui', env), text('token')),
    },
    warnings: unknownVariables(env),
  };
}

/**
 * The database that is named, by its absolute path, or the usual one.
 *
 * @throws UsageError
 */
export function readDatabase(
  given: ReadonlyMap<string, string>,
  env: Readonly<Record<string, string | undefined>>,
): string {
  return readPath('db', given, env, databasePath) ?? defaultDatabase(env);
}

function readPath(
  name: string,
  given: ReadonlyMap<string, string>,
  env: Readonly<Record<string, string | undefined>>,
  expand: typeof expandPath = expandPath,
): string | undefined {
  const argument = given.get(name);
  if (argument !== undefined) return expand(argument, `--${name}`);
  const value = variable(name, env);
  return value === undefined
    ? undefined
    : expand(value, ALL_OPTIONS.find((option) => option.name === name)?.env ?? name);
}

/** What is to be taken out of memories; another word is refused, lest nothing is taken out. */
export function readRedact(value: string | undefined): string | undefined {
  return oneOf('redact', value, REDACTED);
}

/** Refuses a toolset that no tool belongs to. */
export function checkToolsets(chosen: readonly string[], known: readonly string[]): void {
  const names = [...known, 'all'];
  for (const name of chosen) oneOf('toolsets', name, names);
}

/** The options as lines of help. */
export function optionList(options: readonly Option[]): string {
  return options
    .map((option) => {
      const left = `--${option.name}${option.value === undefined ? '' : ` ${option.value}`}`;
      return `  ${left.padEnd(20)} ${option.text}${option.env === undefined ? '' : ` (${option.env})`}`;
    })
    .join('\n');
}

/**
 * What stands on the command line, by the names of these options; a switch has an empty value.
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
    given.set(name, value);
  }
  return given;
}

function unknownArgument(argument: string, name: string, options: readonly Option[]): string {
  const near = suggest(
    name,
    options.map((option) => option.name),
  );
  return `unknown option ${argument}${near === undefined ? '' : `. Did you mean --${near}?`}`;
}

/** A variable set to nothing counts as unset: many clients pass on empty fields. */
export function variable(name: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const variableName = ALL_OPTIONS.find((option) => option.name === name)?.env;
  const value = variableName === undefined ? undefined : env[variableName];
  return value === '' ? undefined : value;
}

function isOn(name: string, env: Readonly<Record<string, string | undefined>>): boolean {
  const value = variable(name, env);
  const variableName = OPTIONS.find((option) => option.name === name)?.env ?? name;
  return value !== undefined && isYes(variableName, value);
}

function oneOf(name: string, value: string | undefined, known: readonly string[]): string | undefined {
  if (value === undefined || known.includes(value)) return value;
  const near = suggest(value, known);
  throw new UsageError(
    `--${name} does not know "${value}"${near === undefined ? '' : `, did you mean ${near}?`} (known: ${known.join(', ')})`,
  );
}

function wholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!/^-?\d+$/.test(value) || !Number.isSafeInteger(number)) {
    throw new UsageError(`--${name} needs a whole number, but got "${value}"`);
  }
  return number;
}

function days(name: string, value: string | undefined): number | undefined {
  if (value === undefined || (/^\d+$/.test(value) && Number(value) <= MAX_LOG_DAYS)) {
    return value === undefined ? undefined : Number(value);
  }
  throw new UsageError(`--${name} needs a whole number from 0 to ${MAX_LOG_DAYS}, but got "${value}"`);
}

/** A misspelt variable would go unnoticed; a refusal would break whoever uses the prefix for something else. */
function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = ALL_OPTIONS.flatMap((option) => option.env ?? []);
  return Object.keys(env)
    .filter((name) => name.startsWith('LIMBIC_') && !name.startsWith('LIMBIC_TEST_') && !known.includes(name))
    .map((name) => {
      const near = suggest(name, known);
      return `the variable ${name} is not known and has no effect${near === undefined ? '' : `. Did you mean ${near}?`}`;
    });
}
