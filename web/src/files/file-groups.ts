/** Which of the chosen files belong together. */

/** A file with those that SQLite keeps beside a database. */
export interface FileGroup {
  readonly file: File;
  readonly wal?: File;
  readonly journal?: File;
}

export interface Grouped {
  readonly groups: readonly FileGroup[];
  /** Files that belong to a database that was not chosen. */
  readonly orphans: readonly File[];
}

/** What SQLite appends to the name of a database. The index `-shm` can be made again, so it is never read. */
const SUFFIX = /-(wal|journal|shm)$/;

/** Puts `NAME-wal` and `NAME-journal` to `NAME`. */
export function groupFiles(files: readonly File[]): Grouped {
  const byName = new Map(files.map((file) => [file.name, file]));
  const isBeside = ({ name }: File): boolean => SUFFIX.test(name);
  return {
    groups: files
      .filter((file) => !isBeside(file))
      .map((file) => ({ file, wal: byName.get(`${file.name}-wal`), journal: byName.get(`${file.name}-journal`) })),
    orphans: files.filter((file) => isBeside(file) && !byName.has(databaseOf(file.name))),
  };
}

/** The name of the database that a file belongs to. */
export function databaseOf(name: string): string {
  return name.replace(SUFFIX, '');
}
