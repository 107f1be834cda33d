import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readText, writeText } from '../../src/components/web-storage.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

afterEach(() => vi.unstubAllGlobals());

describe('texts in the storage of the browser', () => {
  it('are read as they were written', () => {
    const texts = new Map<string, string>();
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => texts.get(key) ?? null,
      setItem: (key: string, text: string) => texts.set(key, text),
    });
    writeText('localStorage', 'a', 'text');
    expect(readText('localStorage', 'a')).toBe('text');
    expect(readText('localStorage', 'b')).toBeNull();
  });

  it('are missing where the browser stores nothing', () => {
    for (const kind of ['localStorage', 'sessionStorage'] as const) {
      // As with blocked cookies: the property itself throws.
      vi.stubGlobal(kind, undefined);
      Object.defineProperty(globalThis, kind, {
        configurable: true,
        get: () => {
          throw new Error('SecurityError');
        },
      });
      writeText(kind, 'a', 'text');
      expect(readText(kind, 'a')).toBeNull();
    }
  });

  it('are used nowhere else', () => {
    const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
    const users = sources.filter((name) => /\b(local|session)Storage\./.test(readFileSync(join(SRC, name), 'utf8')));
    expect(users).toEqual([]);
  });
});
