import type { HeldAnswer } from 'limbic-shell/answer.ts';
import { describe, expect, it, vi } from 'vitest';
import { type ImportingCore, importFile, sourceOf } from '../../src/core/import-file.ts';
import type { ImportOrder } from '../../src/core/messages.ts';

/** Blobs of Node are read later than a worker reads them; here their bytes are known. */
class KnownBlob {
  readonly bytes: Uint8Array;
  readonly size: number;

  constructor(bytes: Uint8Array, size = bytes.length) {
    this.bytes = bytes;
    this.size = size;
  }

  slice(start: number, end: number): KnownBlob {
    return new KnownBlob(this.bytes.slice(start, end));
  }
}

vi.stubGlobal(
  'FileReaderSync',
  class {
    readAsArrayBuffer({ bytes }: KnownBlob): ArrayBuffer {
      return bytes.slice().buffer;
    }
  },
);

function database(application: string): Uint8Array {
  const bytes = new Uint8Array(100);
  bytes.set(new TextEncoder().encode('SQLite format 3\0'));
  bytes.set(new TextEncoder().encode(application), 68);
  return bytes;
}

const LIMBIC = database('LMBC');
const PREVIOUS = new Uint8Array([1, 2, 3]);
const EMPTY = { entities: 0, memories: 0, reflections: 0, searches: 0, domains: 1 };

interface Stored {
  readonly counts?: Readonly<Record<string, number>>;
  readonly auditLines?: number;
  readonly bytes?: number;
}

/** A core that records its calls. */
function coreWith({
  counts = {},
  auditLines = 0,
  bytes = 4096,
}: Stored = {}): ImportingCore & { readonly done: string[]; readonly sessions: (string | null | undefined)[] } {
  const done: string[] = [];
  const sessions: (string | null | undefined)[] = [];
  const answer = (content: object): HeldAnswer => ({
    isError: false,
    takeText: () => JSON.stringify(content),
    free: () => {},
  });
  return {
    done,
    sessions,
    call: (tool) =>
      answer(
        tool === 'explore_stats' ? { file: { bytes }, counts: { ...EMPTY, ...counts } } : { rows: [[auditLines]] },
      ),
    call_with_file: (tool, _, __, source, ___, session) => {
      sessions.push(session);
      const sidecars = (['-wal', '-journal'] as const).flatMap((suffix) =>
        source.sidecar?.(suffix) === undefined ? [] : [suffix],
      );
      done.push([tool, ...sidecars].join(' '));
      return answer({ memories_imported: 1 });
    },
    import_database: (_, wal) =>
      void done.push(wal === undefined ? 'import_database' : `import_database with ${wal.length} bytes of -wal`),
    export_database: () => {
      done.push('export_database');
      return PREVIOUS;
    },
  };
}

function imported(
  core: ImportingCore,
  bytes: Uint8Array,
  order: Partial<ImportOrder> = {},
  size?: number,
): { code?: string; hint?: string; bytes?: Uint8Array } {
  const file = new KnownBlob(bytes, size) as unknown as Blob;
  const { text, bytes: previous } = importFile(
    core,
    { name: 'memory.db', file, replaces: false, keepsPrevious: false, ...order },
    () => {},
    'page',
  );
  return { ...(JSON.parse(text) as object), bytes: previous };
}

describe('a file as the core reads it', () => {
  it('is read at any offset up to its end', () => {
    const read = (part: Blob): Uint8Array => new Uint8Array(part.size).fill(7);
    const source = sourceOf(new Blob(['0123456789']), read);
    const buffer = new Uint8Array(4);
    expect([source.size, source.readAt(buffer, 0), source.readAt(buffer, 8), source.readAt(buffer, 20)]).toEqual([
      10, 4, 2, 0,
    ]);
    expect([...buffer]).toEqual([7, 7, 7, 7]);
  });
});

describe('a Limbic database', () => {
  it.each<[string, Stored]>([
    ['entities', { counts: { entities: 1 } }],
    ['memories', { counts: { memories: 1 } }],
    ['ended memories', { counts: { memories_ended: 1 } }],
    ['reflections', { counts: { reflections: 1 } }],
    ['a second domain', { counts: { domains: 2 } }],
    ['logged searches', { counts: { searches: 1 } }],
    ['audit lines of deleted memories', { auditLines: 1 }],
  ])('does not replace a memory with only %s without confirmation', (_, stored) => {
    const core = coreWith(stored);
    expect(imported(core, LIMBIC, { keepsPrevious: true })).toMatchObject({ code: 'would_replace' });
    expect(core.done).toEqual([]);
    expect(imported(core, LIMBIC, { keepsPrevious: true, replaces: true })).toMatchObject({
      replaced: true,
      domains_imported: expect.any(Number),
      bytes: PREVIOUS,
    });
    expect(core.done).toEqual(['export_database', 'import_database']);
  });

  it('replaces an empty memory', () => {
    const core = coreWith();
    expect(imported(core, LIMBIC)).toMatchObject({ replaced: true });
    expect(core.done).toEqual(['import_database']);
  });

  it('replaces a memory that is too large for undo, and says so before', () => {
    const core = coreWith({ counts: { memories: 1 }, bytes: 1024 ** 3 });
    expect(imported(core, LIMBIC, { keepsPrevious: true }).hint).toContain('too large to be kept');
    expect(imported(core, LIMBIC, { keepsPrevious: true, replaces: true }).bytes).toBeUndefined();
    expect(core.done).toEqual(['import_database']);
  });

  it('larger than the limit is rejected by its size', () => {
    const core = coreWith();
    expect(imported(core, LIMBIC, {}, 3 * 1024 ** 3)).toMatchObject({ code: 'file_too_large' });
    expect(core.done).toEqual([]);
  });
});

describe('a database in WAL mode', () => {
  const inWalMode = (application: string): Uint8Array => {
    const bytes = database(application);
    bytes.fill(2, 18, 20);
    return bytes;
  };
  const blob = (bytes: Uint8Array): Blob => new KnownBlob(bytes) as unknown as Blob;
  const frames = blob(new Uint8Array(40).fill(1));

  it.each(['LMBC', '\0\0\0\0'])('is rejected without its -wal file, and nothing is changed: %j', (application) => {
    const core = coreWith();
    expect(imported(core, inWalMode(application), { replaces: true })).toMatchObject({
      code: 'wal_missing',
      hint: expect.stringContaining('together'),
    });
    expect(core.done).toEqual([]);
  });

  it('is imported with its -wal file, or if there is none', () => {
    const core = coreWith();
    const none = blob(new Uint8Array(0));
    imported(core, inWalMode('LMBC'), { wal: frames });
    imported(core, inWalMode('LMBC'), { wal: none });
    imported(core, inWalMode('\0\0\0\0'), { wal: frames });
    imported(core, inWalMode('\0\0\0\0'), { wal: none });
    expect(core.done).toEqual([
      'import_database with 40 bytes of -wal',
      'import_database with 0 bytes of -wal',
      'migrate -wal',
      'migrate',
    ]);
  });

  it('is rejected with a hot journal, and imported with one of a completed transaction', () => {
    const core = coreWith();
    const live = blob(new Uint8Array([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0, 0, 0, 1]));
    expect(imported(core, LIMBIC, { journal: live })).toMatchObject({ code: 'source_unreadable' });
    expect(core.done).toEqual([]);
    expect(imported(core, LIMBIC, { journal: blob(new Uint8Array(512)) })).toMatchObject({ replaced: true });
  });
});

it('a folder is rejected', () => {
  const core = coreWith();
  const folder = {
    size: 4096,
    slice: () => {
      throw new Error('a requested file could not be found');
    },
  } as unknown as Blob;
  const order = { name: 'folder', file: folder, replaces: false, keepsPrevious: false };
  const { text } = importFile(core, order, () => {}, 'page');
  expect(JSON.parse(text)).toMatchObject({ code: 'source_unreadable' });
});

it('any other file is added, and the previous database is returned', () => {
  const core = coreWith({ counts: { memories: 1 } });
  expect(imported(core, new TextEncoder().encode('{"type":"entity"}'), { keepsPrevious: true })).toEqual({
    memories_imported: 1,
    bytes: PREVIOUS,
  });
  expect(core.done).toEqual(['export_database', 'migrate']);
});

it('runs migrate in the session of the page, which the audit log names', () => {
  const core = coreWith();
  imported(core, new TextEncoder().encode('{"type":"entity","name":"Ada"}'));
  expect(core.done).toEqual(['migrate']);
  expect(core.sessions).toEqual(['page']);
});
