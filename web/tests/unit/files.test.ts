import { describe, expect, it } from 'vitest';
import { isLimbicDatabase } from '../../src/core/database-head.ts';
import { groupFiles } from '../../src/files/file-groups.ts';
import { exportName, importedText, isNothingImported, problemsOf, withFreeSpace } from '../../src/files/file-kind.ts';

function head(application: string): Uint8Array {
  const bytes = new Uint8Array(72);
  bytes.set(new TextEncoder().encode('SQLite format 3\0'));
  bytes.set(new TextEncoder().encode(application), 68);
  return bytes;
}

describe('a file', () => {
  it('replaces the memory only if it is a Limbic database', () => {
    expect(isLimbicDatabase(head('LMBC'))).toBe(true);
    expect(isLimbicDatabase(head('\0\0\0\0'))).toBe(false);
    expect(isLimbicDatabase(new TextEncoder().encode('LMBC'.repeat(20)))).toBe(false);
    expect(isLimbicDatabase(new Uint8Array(0))).toBe(false);
  });

  it('is exported under a name with the date', () => {
    expect(exportName(Date.UTC(2026, 10, 20, 23, 59))).toBe('limbic-2026-11-20.db');
  });
});

describe('files that are selected together', () => {
  const grouped = (...names: string[]): unknown => {
    const { groups, orphans } = groupFiles(names.map((name) => new File([], name)));
    return {
      groups: groups.map(({ file, wal, journal }) => [file.name, wal?.name, journal?.name]),
      orphans: orphans.map(({ name }) => name),
    };
  };

  it('are imported one by one, each with its sidecar files', () => {
    expect(grouped('a.db-wal', 'a.db', 'b.jsonl', 'a.db-shm', 'c.db', 'c.db-journal')).toEqual({
      groups: [
        ['a.db', 'a.db-wal', undefined],
        ['b.jsonl', undefined, undefined],
        ['c.db', undefined, 'c.db-journal'],
      ],
      orphans: [],
    });
  });

  it('sidecar files are not imported without their database', () => {
    expect(grouped('a.db-wal', 'b.db')).toEqual({ groups: [['b.db', undefined, undefined]], orphans: ['a.db-wal'] });
  });
});

describe('the result of an import', () => {
  it('is described as text', () => {
    expect(importedText({ entities_imported: 1, observations_imported: 1519, relations_imported: 0 })).toBe(
      '1 entity, 1,519 observations',
    );
    for (const odd of [null, 'x', {}, []]) expect(importedText(odd)).toBe('nothing new');
  });

  // The answers of `migrate` for files of these systems, as the core gives them.
  it.each([
    [
      'memory-graph',
      { domains_imported: 2, memories_imported: 3, links_imported: 1, skipped: 0 },
      '3 memories, 2 domains, 1 link',
    ],
    [
      'persistent-memory',
      { memories_imported: 1, links_imported: 2, skipped: 4 },
      '1 memory, 2 links; 4 records skipped',
    ],
    [
      'mcp-memory-v2',
      { entities_imported: 2, relations_imported: 1, reflections_imported: 1 },
      '2 entities, 1 relation, 1 reflection',
    ],
    ['markdown', { memories_imported: 8, skipped: 2 }, '8 memories; 2 records skipped'],
    [
      'basic-memory',
      { entities_imported: 1, observations_imported: 4, relations_imported: 3, skipped: 1 },
      '1 entity, 4 observations, 3 relations; 1 record skipped',
    ],
    ['limbic', { skipped: 1 }, 'nothing new; 1 record skipped'],
  ])('counts every kind of record of %s', (format, counts, text) => {
    const none = {
      entities_imported: 0,
      observations_imported: 0,
      relations_imported: 0,
      reflections_imported: 0,
      memories_imported: 0,
      domains_imported: 0,
      links_imported: 0,
      errors: 0,
      skipped: 0,
    };
    expect(importedText({ format, dry_run: false, ...none, ...counts, problems: [] })).toBe(text);
  });

  it('counts record kinds that the page does not know', () => {
    expect(importedText({ search_events_imported: 2 })).toBe('2 search events');
  });

  it('has failed if none of the records was imported', () => {
    expect(isNothingImported({ entities_imported: 0, errors: 20 })).toBe(true);
    expect(isNothingImported({ entities_imported: 0, reflections_imported: 1, errors: 20 })).toBe(false);
    expect(isNothingImported({ entities_imported: 0, errors: 0 })).toBe(false);
    expect(isNothingImported({ replaced: true })).toBe(false);
  });

  it('lists the skipped records', () => {
    expect(problemsOf({ problems: ['line 3: no JSON', { line: 4 }] })).toEqual(['line 3: no JSON', '{"line":4}']);
    for (const odd of [null, {}, { problems: 'x' }]) expect(problemsOf(odd)).toEqual([]);
  });

  it("says if the browser's storage is full", () => {
    const io = { error: 'Writing failed', code: 'io_error' };
    expect(withFreeSpace(io, 5_000_000, { quota: 10_000_000, usage: 8_000_000 }).hint).toContain(
      '10 MB, of which 2.0 MB',
    );
    expect(withFreeSpace(io, 5_000_000, { quota: 1_000_000_000, usage: 0 })).toBe(io);
    expect(withFreeSpace(io, 5_000_000, {})).toBe(io);
    const damaged = { error: 'Damaged', code: 'database_damaged' };
    expect(withFreeSpace(damaged, 5_000_000, { quota: 1, usage: 1 })).toBe(damaged);
  });
});
