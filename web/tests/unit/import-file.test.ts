import { describe, expect, it, vi } from 'vitest';

vi.mock('limbic-pkg/core/limbic_core.js', () => ({ Core: class {} }));
const { sourceOf, importFile } = await import('../../src/core/import-file.ts');

describe('a file as the core reads it', () => {
  const blob = new Blob(['0123456789']);
  // Blobs of Node are read later; here all of one is known.
  const read = (part: Blob): Uint8Array => new Uint8Array(part.size).fill(7);

  it('is read at any place, and ends where it ends', () => {
    const source = sourceOf(blob, read);
    const buffer = new Uint8Array(4);
    expect([source.size, source.readAt(buffer, 0), source.readAt(buffer, 8), source.readAt(buffer, 20)]).toEqual([10, 4, 2, 0]);
    expect([...buffer]).toEqual([7, 7, 7, 7]);
  });

  it('is not read at all when it is a database larger than the core takes', () => {
    const magic = new TextEncoder().encode('SQLite format 3\0');
    const huge = { size: 3 * 1024 ** 3, slice: () => ({ size: 16 }) } as unknown as Blob;
    const reads: unknown[] = [];
    vi.stubGlobal('FileReaderSync', class {
      readAsArrayBuffer(part: Blob): ArrayBuffer {
        reads.push(part.size);
        return magic.buffer as ArrayBuffer;
      }
    });
    const reply = importFile({} as never, 'huge.db', huge, () => {});
    expect(JSON.parse(reply.text)).toMatchObject({ code: 'file_too_large' });
    expect(reads).toEqual([16]);
  });
});
