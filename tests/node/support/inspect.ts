/** A look into a database file with a SQLite of its own, so that no code under test judges itself. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { SqlJsStatic } from 'sql.js';
import { PACKAGE } from './places.ts';

// From the package's own dependencies: bundled, it would not find its module.
const initSqlJs = createRequire(join(PACKAGE, 'package.json'))('sql.js') as () => Promise<SqlJsStatic>;

/** What a query finds in the bytes of a database file: the values of each row. */
export async function query(bytes: Uint8Array, statement: string): Promise<unknown[][]> {
  const sql = await initSqlJs();
  const database = new sql.Database(bytes);
  try {
    return database.exec(statement)[0]?.values ?? [];
  } finally {
    database.close();
  }
}

/** What `PRAGMA integrity_check` says, and the names of all entities, sorted. */
export async function inspect(path: string): Promise<{ integrity: string; names: string[] }> {
  const sql = await initSqlJs();
  const database = new sql.Database(readFileSync(path));
  try {
    const column = (statement: string): string[] =>
      database.exec(statement)[0]?.values.map((row) => String(row[0])) ?? [];
    return {
      integrity: column('PRAGMA integrity_check').join('; '),
      names: column('SELECT name FROM entities').sort(),
    };
  } finally {
    database.close();
  }
}
