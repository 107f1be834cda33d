/** `import { open } from 'limbic-memory'`: every tool as a method, on a database in this process. */
import { CoreThread } from './core-thread.ts';
import { EncoderThread } from './encoder-thread.ts';
import { echo } from './log.ts';
import { LimbicError, requireKnown } from './library-error.ts';
import type { CallOptions, open as Open, OpenOptions } from './library-types.ts';
import { defaultDatabase, expandPath, packagedFile } from './paths.ts';
import { requireUtf8 } from './usage.ts';
import { ToolCatalog } from './tool-catalog.ts';

export { LimbicError };

/** Every tool, those of the explorer's pages included. */
const TOOLSETS = ['all', 'explorer'];

/** The tools for one user are among these. */
const TOOLSETS_OF_USER = ['all'];

/** The names of the options, of which the compiler checks that none is missing. */
const OPTIONS = Object.keys({
  db: true,
  sharedDisk: true,
  readOnly: true,
  model: true,
  modelDimensions: true,
  redact: true,
  user: true,
  searchLogDays: true,
  privateLog: true,
} satisfies Record<keyof OpenOptions, true>);

/** The arguments as JSON, which writes NaN and infinity as null: as if the field were omitted. */
function argumentsText(input: unknown): string {
  return JSON.stringify(input, (name, value: unknown) => {
    if (typeof value !== 'number' || Number.isFinite(value)) return value;
    throw new LimbicError({
      error: `${echo(name)} must be a finite number, but got ${value}`,
      code: 'invalid_argument',
    });
  });
}

export const open = (async (options: OpenOptions = {}) => {
  requireKnown('open', options, OPTIONS);
  const {
    db,
    sharedDisk = false,
    readOnly = false,
    model = true,
    modelDimensions,
    redact,
    user,
    searchLogDays,
    privateLog = false,
  } = options;
  const core = new CoreThread({
    wasm: packagedFile('limbic_core_bg.wasm'),
    db:
      db === undefined ? requireUtf8(defaultDatabase(process.env), 'the data folder', 'give db') : expandPath(db, 'db'),
    acceptsSharedDisk: sharedDisk,
    readOnly,
    toolsets: user === undefined ? TOOLSETS : TOOLSETS_OF_USER,
    compat: undefined,
    searchLogDays,
    privateLog,
    redact,
    user,
    testClockMillis: undefined,
    drainsQueue: false,
    runsQueue: !readOnly,
    testTrap: undefined,
  });
  const encoder =
    model === false
      ? undefined
      : new EncoderThread({
          wasm: packagedFile('limbic_encoder_bg.wasm'),
          modelDir: typeof model === 'string' ? expandPath(model, 'model') : packagedFile('model'),
          modelDimensions,
          crashes: false,
        });
  if (encoder === undefined) core.whenOpened(() => core.connect(undefined));
  else encoder.join(core);

  let closed: Promise<void> | undefined;
  const call = async (tool: string, input: unknown = {}, { signal, asStored }: CallOptions = {}): Promise<unknown> => {
    if (closed !== undefined) throw new LimbicError({ error: 'The memory is closed', code: 'closed' });
    signal?.throwIfAborted();
    const caller = { kind: 'library', client: '', project: '' } as const;
    const access = asStored === true ? { asStored } : undefined;
    const options = signal === undefined ? { caller, access } : { caller, access, signal };
    const { isError, text } = await core.call(tool, argumentsText(input), options);
    const answer: unknown = JSON.parse(text);
    if (!isError) return answer;
    signal?.throwIfAborted();
    throw new LimbicError(answer as { error: string; code: string; hint?: string });
  };
  const close = (): Promise<void> =>
    (closed ??= core.close().then(async () => {
      await Promise.all([core.end(), encoder?.end()]);
    }));
  // Opens the file, so that a database that cannot be used is reported here.
  const names = ToolCatalog.fromPackage()
    .all()
    .map(({ name }) => name);
  const methods = names.map((name) => [name, (input?: unknown, how?: CallOptions) => call(name, input, how)]);
  core.start();
  try {
    await call('list_domains');
  } catch (error) {
    await close();
    throw error;
  }
  return Object.assign(Object.fromEntries(methods), { user, redact, call, close, [Symbol.asyncDispose]: close });
}) as typeof Open;
