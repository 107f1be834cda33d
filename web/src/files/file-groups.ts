/** Groups databases with their sidecar files. */

/** A file and its SQLite sidecar files. */
export interface FileGroup {
  readonly file: File;
  readonly wal?: File;
  readonly journal?: File;
}

export interface Grouped {
  readonly groups: readonly FileGroup[];
  /** Sidecar files without their database. */
  readonly orphans: readonly File[];
}

/** Suffixes of SQLite sidecar files. The `-shm` index is rebuilt and never read. */
const SUFFIX = /-(wal|journal|shm)$/;

/** Groups `NAME-wal` and `NAME-journal` with `NAME`. */
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
