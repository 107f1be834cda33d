/** `limbic-memory export`: what may be said after it. */
import { optionList, type Option, readArguments, variable } from './options.ts';
import { defaultDatabase } from './paths.ts';
import { UsageError } from './usage.ts';

/** What is to be exported, and where to. */
export interface ExportOptions {
  readonly db: string;
  readonly format: string;
  /** A path, or `-` for standard output. */
  readonly out: string;
  readonly replaces: boolean;
}

/** Every option, in reading order. */
const EXPORT_OPTIONS: readonly Option[] = [
  { name: 'format', value: 'NAME', text: 'jsonl (the reference server\'s file), mcp-memory-v2 (SQLite) or limbic (everything)' },
  { name: 'out', value: 'FILE', text: 'the file to write; - is standard output' },
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
  const out = given.get('out');
  if (out === undefined) throw new UsageError('export needs a file: --out FILE, or --out - for standard output');
  return {
    db: given.get('db') ?? variable('db', env) ?? defaultDatabase(env),
    format: given.get('format') ?? 'limbic',
    out,
    replaces: given.has('force'),
  };
}

/** What `export --help` shows. */
export function exportHelpText(): string {
  return `Usage: limbic-memory export --out FILE [options]

Writes the memory into a file. The tool migrate reads all formats; limbic holds everything and is the default.

Options:
${optionList(EXPORT_OPTIONS)}
`;
}
