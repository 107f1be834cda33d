import { describe, expect, it } from 'vitest';
import { erasedSentence } from '../../src/mutations/erased.ts';

describe('what a deletion overwrites', () => {
  it('names the journal only where the VFS overwrites it', () => {
    expect(erasedSentence({ storage: 'server', overwrites: true })).toMatch(
      /database file: rows, .*vectors and journal/,
    );
    expect(erasedSentence({ storage: 'browser', isEncrypted: true })).toMatch(/rows, .*vectors and journal/);
    expect(erasedSentence({ storage: 'browser', isEncrypted: false })).toMatch(/vectors\. The journal was cut off/);
  });

  it('claims nothing that the storage does not do', () => {
    expect(erasedSentence({ storage: 'server', overwrites: false })).toMatch(/until VACUUM/);
    expect(erasedSentence({ storage: 'memory' })).not.toMatch(/[Oo]verwritten/);
    for (const storage of ['server', 'file', 'unknown'] as const) expect(erasedSentence({ storage })).toBeUndefined();
  });

  it('says what keeps copies', () => {
    for (const isEncrypted of [true, false])
      expect(erasedSentence({ storage: 'browser', isEncrypted })).toContain('Exports keep their copies');
    expect(erasedSentence({ storage: 'server', overwrites: true })).toMatch(/Exports, backups and snapshots/);
  });
});
