/** Starting the core's thread with the options of a server. */
import { codeBelow, hasCodeModule } from './code-settings.ts';
import { CoreThread } from './core-thread.ts';
import { log } from './log.ts';
import type { Options } from './options.ts';
import { packagedFile, rightsWarning } from './paths.ts';
import type { ToolCatalog } from './tool-catalog.ts';

/** Starts the core, which loads its module and opens the database while the caller loads the rest of the server. */
export function startCore(options: Options, catalog: ToolCatalog): CoreThread {
  log(`the memory is in ${options.db}`);
  const warning = rightsWarning(options.db);
  if (warning !== undefined) log(warning);
  const core = new CoreThread(coreSettings(options, catalog));
  core.start();
  return core;
}

function coreSettings(options: Options, catalog: ToolCatalog): CoreThread['settings'] {
  return {
    wasm: packagedFile('limbic_core_bg.wasm'),
    setsFlags: true,
    db: options.db,
    readOnly: options.readOnly,
    toolsets: options.toolsets,
    compat: options.compat,
    searchLogDays: options.searchLogDays,
    privateLog: options.privateLog,
    acceptsSharedDisk: options.acceptsSharedDisk,
    redact: options.redact,
    scanGraph: options.scanGraph,
    code: offersCode(options, catalog) ? codeBelow(options.codeRoot ?? process.cwd()) : undefined,
    user: options.user,
    testClockMillis: options.testClockMillis,
    drainsQueue: options.settle,
    runsQueue: !options.readOnly,
    memoryLimit: memoryLimit(),
    testTrap: process.env['LIMBIC_TEST_TRAP'],
    testHang: process.env['LIMBIC_TEST_HANG'],
    testLimitMillis: millisFrom(process.env['LIMBIC_TEST_LIMIT']),
  };
}

/** The memory of the core, above which an idle thread is replaced. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;
const MEMORY_IDLE_MILLIS = 60_000;
const MEMORY_REST_MILLIS = 600_000;

function memoryLimit(): CoreThread['settings']['memoryLimit'] {
  const test = process.env['LIMBIC_TEST_MEMORY'];
  const limit = { bytes: MAX_MEMORY_BYTES, idleMillis: MEMORY_IDLE_MILLIS, restMillis: MEMORY_REST_MILLIS };
  return test === undefined ? limit : { ...limit, bytes: Number(test), idleMillis: 0 };
}

/** The emulated server that has tools for source code. */
const CODE_COMPAT = 'memory-mcp-server';

/** Whether source code is read: only then projects are kept up to date. */
function offersCode({ compat, user, toolsets, readOnly }: Options, catalog: ToolCatalog): boolean {
  if (user !== undefined) return false;
  const isChosen = compat === CODE_COMPAT || (compat === undefined && catalog.hasCode(toolsets, readOnly));
  if (!isChosen || hasCodeModule()) return isChosen;
  log('the tools for source code are not offered: their module is missing from this package');
  return false;
}

function millisFrom(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
