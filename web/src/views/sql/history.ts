/** The history of SQL statements, newest first, stored in this browser. */
import { readText, writeText } from '../../components/web-storage.ts';

const KEY = 'limbic-sql';
const MAX_ENTRIES = 50;
/** Maximum length of a stored statement, since the browser's storage is small. */
const MAX_LENGTH = 10_000;

export function withEntry(history: readonly string[], sql: string): readonly string[] {
  if (sql.trim() === '' || sql.length > MAX_LENGTH) return history;
  return [sql, ...history.filter((entry) => entry !== sql)].slice(0, MAX_ENTRIES);
}

/** Parses the stored history; anything invalid is ignored. */
export function parseHistory(text: string | null): readonly string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string').slice(0, MAX_ENTRIES) : [];
  } catch {
    return [];
  }
}

export function loadHistory(): readonly string[] {
  return parseHistory(readText('localStorage', KEY));
}

export function saveHistory(history: readonly string[]): void {
  writeText('localStorage', KEY, JSON.stringify(history));
}
