/** Undo and redo of imports: no memory that was replaced is lost while the page is open. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { confirm } from '../../src/components/confirm.tsx';
import { notify } from '../../src/app/toasts.tsx';
import type { ImportOptions, Source } from '../../src/source/source.ts';

vi.mock('../../src/app/toasts.tsx', () => ({ notify: vi.fn(), notifyError: vi.fn() }));
vi.mock('../../src/components/confirm.tsx', () => ({ confirm: vi.fn(async () => true) }));

const MEGABYTES = 1024 ** 2;
const MAX_KEPT_BYTES = 512 * MEGABYTES;

/** The first bytes of a database. */
const HEAD = 'database:';

/** A memory whose content is the names of the imported files. */
class Memory {
  content = 'mine';
  bytes = 1 * MEGABYTES;
  /** Sizes of databases by name, where they are large. */
  readonly #sizes: Readonly<Record<string, number>>;

  constructor(sizes: Readonly<Record<string, number>> = {}) {
    this.#sizes = sizes;
  }

  get source(): Source {
    const source: Pick<Source, 'importFile' | 'call'> = {
      importFile: async (file, options = {}) => this.#import(file, options),
      call: async () => ({ ok: true, value: { file: { bytes: this.bytes } } }) as never,
    };
    return source as Source;
  }

  async #import(file: File, { keepsPrevious }: ImportOptions): Promise<never> {
    const isKept = keepsPrevious === true && this.bytes <= MAX_KEPT_BYTES;
    const previous = isKept ? databaseOf(this.content, this.bytes) : undefined;
    const text = await file.text();
    const isDatabase = text.startsWith(HEAD);
    this.content = isDatabase ? text.slice(HEAD.length) : `${this.content}+${text}`;
    this.bytes = this.#sizes[this.content] ?? 1 * MEGABYTES;
    const value = isDatabase ? { replaced: true } : { entities_imported: 1 };
    return { ok: true, value, ...(previous !== undefined && { previous }) } as never;
  }
}

/** Part of a file, with a size of its own. */
function databaseOf(content: string, size: number): Blob {
  return { size, toString: () => `${HEAD}${content}` } as unknown as Blob;
}

function fileOf(name: string): File {
  const [content = '', kind] = name.split('.');
  return new File([`${kind === 'db' ? HEAD : ''}${content}`], name);
}

let transfer: typeof import('../../src/files/transfer.ts');

beforeEach(async () => {
  vi.resetModules();
  vi.clearAllMocks();
  transfer = await import('../../src/files/transfer.ts');
});

/** Imports these files one after the other. Returns the content of the memory after each. */
async function imported(memory: Memory, ...names: string[]): Promise<void> {
  for (const name of names) await transfer.importFiles(memory.source, [fileOf(name)]);
}

async function after(memory: Memory, direction: 'undo' | 'redo'): Promise<string> {
  await transfer.switchState(memory.source, direction);
  return memory.content;
}

describe('imports', () => {
  it('are undone one by one, back to the memory that was replaced, and redone', async () => {
    const memory = new Memory();
    await imported(memory, 'theirs.db', 'more.jsonl');
    expect(memory.content).toBe('theirs+more');
    expect(await after(memory, 'undo')).toBe('theirs');
    expect(await after(memory, 'undo')).toBe('mine');
    expect(await after(memory, 'undo')).toBe('mine');
    expect(await after(memory, 'redo')).toBe('theirs');
    expect(await after(memory, 'redo')).toBe('theirs+more');
  });

  it('of which the state before is too large leave the earlier states', async () => {
    const memory = new Memory({ large: MAX_KEPT_BYTES + 1 });
    await imported(memory, 'large.db', 'more.jsonl');
    expect(await after(memory, 'undo')).toBe('mine');
  });

  it('are undone with a question where the memory is too large to be redone', async () => {
    const memory = new Memory({ large: MAX_KEPT_BYTES + 1 });
    await imported(memory, 'large.db');
    vi.mocked(confirm).mockResolvedValueOnce(false);
    expect(await after(memory, 'undo')).toBe('large');
    expect(vi.mocked(confirm).mock.lastCall?.[0].text).toMatch(/cannot be restored/);
    expect(await after(memory, 'undo')).toBe('mine');
  });

  it('that run say so to Undo, which changes nothing then', async () => {
    const memory = new Memory();
    await imported(memory, 'theirs.db');
    let resolve = (): void => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    const slow = {
      ...memory.source,
      importFile: (file: File, options?: ImportOptions) =>
        promise.then(() => memory.source.importFile?.(file, options) as never),
    } as unknown as Source;
    const running = transfer.importFiles(slow, [fileOf('more.jsonl')]);
    expect(await after(memory, 'undo')).toBe('theirs');
    expect(vi.mocked(notify)).toHaveBeenLastCalledWith(
      expect.objectContaining({ text: 'The import of theirs.db was not undone.', isError: true }),
    );
    expect(await transfer.importSilently(memory.source, fileOf('sample.jsonl'), 'the sample memory')).toBe(false);
    expect(vi.mocked(notify)).toHaveBeenLastCalledWith(
      expect.objectContaining({ text: 'Not imported: the sample memory.', isError: true }),
    );
    resolve();
    await running;
    expect(await after(memory, 'undo')).toBe('theirs');
  });

  it('that bring nothing take no state away', async () => {
    const memory = new Memory();
    await imported(memory, 'theirs.db');
    const nothing = { ok: true, value: { errors: 1 }, previous: new Blob(['theirs']) };
    const source = { ...memory.source, importFile: async () => nothing } as unknown as Source;
    await transfer.importFiles(source, [fileOf('broken.jsonl')]);
    expect(await after(memory, 'undo')).toBe('mine');
  });

  it('drop the memory that was replaced only for want of room, with a word and a way to save it', async () => {
    const half = MAX_KEPT_BYTES;
    const memory = new Memory({ a: half, 'a+b': half, c: half, d: 1 });
    memory.bytes = half;
    await imported(memory, 'a.db', 'b.jsonl', 'c.db');
    // Undo holds mine, a and a+b, which is more than 1 GiB: a was only added to.
    expect(vi.mocked(notify)).not.toHaveBeenCalled();
    expect(await after(memory, 'undo')).toBe('a+b');
    await imported(memory, 'd.db', 'c.db');
    expect(vi.mocked(notify)).toHaveBeenLastCalledWith(
      expect.objectContaining({ text: expect.stringContaining('a.db'), stays: true, action: expect.anything() }),
    );
  });
});
