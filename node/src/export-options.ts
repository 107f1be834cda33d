/** `limbic-memory export`: what may be said after it. */
import { optionList, type Option, readArguments, readDatabase } from './options.ts';
import { expandPath } from './paths.ts';
import { UsageError } from './usage.ts';

/** What is to be exported, and where to. */
export interface ExportOptions {
  readonly db: string;
  readonly format: string;
  /** A path, or `-` for standard output. */
  readonly out: string;
  readonly replaces: boolean;
  /** Types of entities that a page shows; all if none are given. */
  readonly types: readonly string[] | undefined;
  /** Only the memories of this user. */
  readonly user: string | undefined;
}

/** Every option, in reading order. */
const EXPORT_OPTIONS: readonly Option[] = [
  {
    name: 'format',
    value: 'NAME',
    text: "jsonl (the reference server's file), memory-mcp-server (lines of that program), mcp-memory-v2, memory-graph, persistent-memory (SQLite) or limbic (everything)",
  },
  {
    name: 'user',
    value: 'ID',
    text: 'only the memories of this user, and nothing of the graph, which belongs to nobody',
  },
  { name: 'out', value: 'FILE', text: 'the file to write; - is standard output' },
  {
    name: 'html',
    value: 'FILE',
    text: 'write a page that shows the memory, to be opened from disk, in place of --format and --out',
  },
  { name: 'types', value: 'A,B', text: 'with --html: only entities of these types, and what is said of these alone' },
  { name: 'force', text: 'replace the file if there is one' },
  { name: 'db', value: 'PATH', env: 'LIMBIC_DB', text: 'the database to export' },
  { name: 'help', text: 'show this' },
];

/**
 * Reads what stands after `export`; nothing when help is asked for.
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
      throw new UsageError(`--html and --${other} contradict each other: give one of them`);
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
    throw new UsageError('--types goes with --html: other exports hold everything');
  const user = given.get('user');
  if (user !== undefined && format === 'html')
    throw new UsageError('--user does not go with --html: a page shows the graph, which belongs to nobody');
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

/** What `export --help` shows. */
export function exportHelpText(): string {
  return `Usage: limbic-memory export --out FILE [options]
       limbic-memory export --html FILE [options]

Writes the memory into a file. The tool migrate reads all formats; limbic holds everything and is the default.
--html writes one page with the memory in it, to look at without any program: graph, search by words, tables, timeline.

Options:
${optionList(EXPORT_OPTIONS)}
`;
}
