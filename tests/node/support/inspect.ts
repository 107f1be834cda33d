/** Reads a database file with another build of SQLite, independent of the code under test. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { SqlJsStatic } from 'sql.js';
import { PACKAGE } from './places.ts';

// From the package's own dependencies: bundled, it would not find its module.
const initSqlJs = createRequire(join(PACKAGE, 'package.json'))('sql.js') as () => Promise<SqlJsStatic>;

/** Runs a query on the bytes of a database file. Returns the values of each row. */
export async function query(bytes: Uint8Array, statement: string): Promise<unknown[][]> {
  const sql = await initSqlJs();
  const database = new sql.Database(bytes);
  try {
    return database.exec(statement)[0]?.values ?? [];
  } finally {
    database.close();
  }
}

/** The result of `PRAGMA integrity_check`, and the sorted names of all entities. */
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
