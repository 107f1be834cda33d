/**
 * Texts in `localStorage` and `sessionStorage`, which throw where the browser stores nothing for the site, as with
 * blocked cookies. Use them only here.
 */
type Kind = 'localStorage' | 'sessionStorage';

/** The stored text; `null` if there is none or none can be read. */
export function readText(kind: Kind, key: string): string | null {
  try {
    return globalThis[kind].getItem(key);
  } catch {
    return null;
  }
}

/** Stores a text; without storage or space, it is not stored. */
export function writeText(kind: Kind, key: string, text: string): void {
  try {
    globalThis[kind].setItem(key, text);
  } catch {
    // The page works without it until it is closed.
  }
}
