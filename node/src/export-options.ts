/** The options of `limbic-memory export`. */
import { HELP, optionList, type Option, readArguments, readDatabase } from './options.ts';
import { expandPath } from './paths.ts';
import { UsageError } from './usage.ts';

/** The database, format and target of an export. */
export interface ExportOptions {
  readonly db: string;
  readonly format: string;
  /** A path, or `-` for standard output. */
  readonly out: string;
  readonly replaces: boolean;
  /** Entity types of an HTML page; all if undefined. */
  readonly types: readonly string[] | undefined;
  /** The user whose memories are exported; all if undefined. */
  readonly user: string | undefined;
}

/** Every option, in reading order. */
const EXPORT_OPTIONS: readonly Option[] = [
  {
    name: 'format',
    value: 'NAME',
    text: "limbic (everything, the default), jsonl (the reference server's file), memory-mcp-server (JSON lines), markdown (one bullet per memory), or the SQLite databases mcp-memory-v2, memory-graph and persistent-memory",
  },
  {
    name: 'user',
    value: 'ID',
    text: 'only the memories of this user, without the graph, which has no owner',
  },
  { name: 'out', value: 'FILE', text: 'output file; - is standard output' },
  {
    name: 'html',
    value: 'FILE',
    text: 'write a standalone page that shows the memory, instead of --format and --out',
  },
  { name: 'types', value: 'A,B', text: 'with --html: only entities of these types and the data that belongs to them' },
  { name: 'force', text: 'replace an existing file' },
  { name: 'db', value: 'PATH', env: 'LIMBIC_DB', text: 'the database to export' },
  HELP,
];

/**
 * Parses the arguments of `export`. Returns `undefined` for `--help`.
 *
 * @throws UsageError
 */
export function readExportOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ExportOptions | undefined {
  const given = readArguments(args, EXPORT_OPTIONS);
  if (given.has('help')) return undefined;
  const html = given.get('html');
  for (const other of ['out', 'format']) {
    if (html !== undefined && given.has(other))
      throw new UsageError(`--html and --${other} cannot be combined: give one of them`);
  }
  const out = html ?? given.get('out');
  if (out === undefined)
    throw new UsageError('export needs a file: --out FILE, or --out - for standard output, or --html FILE for a page');
  const format = html === undefined ? (given.get('format') ?? 'limbic') : 'html';
  const types = given
    .get('types')
    ?.split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');
  if (types !== undefined && format !== 'html')
    throw new UsageError('--types requires --html: other exports contain everything');
  const user = given.get('user');
  if (user !== undefined && format === 'html')
    throw new UsageError('--user cannot be combined with --html: a page shows the graph, which has no owner');
  if (types?.length === 0) throw new UsageError('--types needs a value: --types A,B');
  return {
    db: readDatabase(given, env),
    format,
    out: out === '-' ? out : expandPath(out, html === undefined ? '--out' : '--html'),
    replaces: given.has('force'),
    types,
    user,
  };
}

/** Returns the output of `export --help`. */
export function exportHelpText(): string {
  return `Usage: limbic-memory export --out FILE [options]
       limbic-memory export --html FILE [options]

Writes the memory to a file. The tool migrate imports all formats; limbic contains everything and is
the default. --html writes a standalone page that shows the memory without a program: graph, keyword
search, tables, timeline.

Options:
${optionList(EXPORT_OPTIONS)}
`;
}
