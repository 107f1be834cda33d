/**
 * File access of the core: the host functions of `limbic-vfs`, implemented with the synchronous calls of `node:fs`.
 *
 * Databases and locks are the core's concern. One host serves one instance of the core, in the main thread or in a
 * worker.
 */
import { randomFillSync, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as beacons from './file-host-beacon.ts';
import type { BeaconState } from './file-host-beacon.ts';
import { clockThroughSuspensions } from './file-host-clock.ts';
import { fileSystem } from './file-host-mount.ts';
import * as processes from './file-host-process.ts';
import type { FileHostIdentity } from './file-host-process.ts';

/** How a file is opened: for reading, for writing, created if missing, or created exclusively. */
export type OpenMode = 'read' | 'write' | 'create' | 'create-new';

/** Kinds of failures that the core distinguishes. */
export type FailureKind = 'not-found' | 'denied' | 'is-folder' | 'full' | 'exists' | 'unsupported' | 'io';

/** The metadata of a file. */
export interface FileStat {
  readonly size: number;
  readonly isFile: boolean;
  /** When its entry last changed, in milliseconds; a hard link made or removed changes it. */
  readonly changedMillis: number;
  readonly inode: number;
  readonly createdMillis: number;
  /** The file system that it is on. */
  readonly device: number;
  /** How many names (hard links) it has. */
  readonly links: number;
}

/** Synchronous byte files, as the core uses them. Every method throws a {@link FileHostError} when it fails. */
export interface FileHost {
  /** Returns a descriptor. A folder is `is-folder`. */
  open(path: string, mode: OpenMode): number;
  close(file: number): void;
  /** Fills the buffer from `offset` on; returns fewer bytes only at the end of the file. */
  readAt(file: number, buffer: Uint8Array, offset: number): number;
  writeAt(file: number, bytes: Uint8Array, offset: number): void;
  truncate(file: number, size: number): void;
  /** Returns once the written data, and the length, would survive a power failure. */
  sync(file: number): void;
  size(file: number): number;
  /** The metadata of an open file, even if it was renamed or deleted. */
  statOpen(file: number): FileStat;
  stat(path: string): FileStat | undefined;
  /** Whether this user may read, or read and write, the file. */
  may(path: string, write: boolean): boolean;
  delete(path: string): void;
  /** The absolute path with symbolic links resolved; the last component need not exist. */
  realPath(path: string): string;
  /**
   * Returns once the entries of a folder would survive a power failure; does nothing where the platform cannot do that.
   */
  syncFolder(path: string): void;
  /** Creates a folder and its missing parents, accessible to this user only. */
  createFolder(path: string): void;
  /** Removes an empty folder. */
  deleteFolder(path: string): void;
  list(path: string): string[];
  /** Creates a file with this content; fails with `exists` if there is one. */
  create(path: string, content: Uint8Array): void;
  /** Creates a hard link, atomically. */
  link(from: string, to: string): void;
  /** Gives a file another name in its folder, atomically, in place of the file that has it. */
  rename(from: string, to: string): void;
  /** Gives a file the owner, the group and the mode of another one; does nothing on Windows. */
  copyOwner(from: string, to: string): void;
  read(path: string): Uint8Array;
  /**
   * Creates a file that every process of this kernel sees as held until it is closed: a named pipe that is open for
   * reading, or on Windows a file that is open exclusively. Returns a descriptor.
   */
  holdBeacon(path: string): number;
  /** Whether the process that created such a file still has it open. */
  beacon(path: string): BeaconState;
  /**
   * The type of the file system of a folder: the number from `statfs` on Linux, the name in the mount table on macOS,
   * `undefined` where the core derives it from the path.
   */
  fileSystem(path: string): number | string | undefined;
  sleepMicros(micros: number): void;
  nowMillis(): number;
  monotonicMillis(): number;
  fillRandom(buffer: Uint8Array): void;
  identity(): FileHostIdentity;
  /** The start time of a process: empty if it has exited, `undefined` if unknown. */
  processStart(pid: number, thorough: boolean): string | undefined;
  /** Whether that instance of this process has ended. */
  instanceEnded(instance: string): boolean;
  /**
   * Releases all files and locks of an instance that failed and cannot do so itself. The database is then as after
   * the end of a process: the next process to open it rolls back what was not committed.
   */
  abandon(): void;
}

export interface FileHostOptions {
  /** Identifies this instance of the core within the process; random by default. */
  readonly instance?: string;
  /** Whether the thread of that instance of this process has ended, perhaps without {@link FileHost.abandon}. */
  readonly hasEnded?: (instance: string) => boolean;
  /** Called with the path of a file before it is opened, or created if it is missing. */
  readonly beforeCreate?: (path: string) => void;
}

/** A failure with a kind that the core distinguishes. */
export class FileHostError extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.name = 'FileHostError';
    this.kind = kind;
  }
}

const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: fs.constants.O_RDONLY,
  write: fs.constants.O_RDWR,
  create: fs.constants.O_RDWR | fs.constants.O_CREAT,
  'create-new': fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_EXCL,
};

const KINDS: Readonly<Record<string, FailureKind>> = {
  ENOENT: 'not-found',
  ENOTDIR: 'not-found',
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'denied',
  EISDIR: 'is-folder',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EFBIG: 'full',
  EEXIST: 'exists',
  ENOTEMPTY: 'exists',
  ENOSYS: 'unsupported',
  ENOTSUP: 'unsupported',
  EOPNOTSUPP: 'unsupported',
};

/** Errors of `link` on file systems without hard links: on Linux, other systems, and Windows through libuv. */
const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR', 'EMLINK', 'EXDEV'];

/** Errors for folders that cannot be opened or synced: on Windows and some network file systems. */
const NO_FOLDER_SYNC: readonly string[] = ['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP'];

const monotonicMillis = clockThroughSuspensions();

/** Creates a host for the files of this machine. */
export function createFileHost(options: FileHostOptions = {}): FileHost {
  const instance = options.instance ?? randomUUID();
  const files = new Set<number>();
  // Lock files of this instance in order of creation, each with a function that checks that it is still its own.
  const made = new Map<string, () => boolean>();
  const pause = new Int32Array(new SharedArrayBuffer(4));

  return {
    open(path, mode) {
      if (mode === 'create') options.beforeCreate?.(path);
      const file = attempt(() => fs.openSync(path, FLAGS[mode], 0o600));
      if (mode === 'read' && fs.fstatSync(file).isDirectory()) {
        fs.closeSync(file);
        throw new FileHostError('is-folder', 'it is a folder');
      }
      files.add(file);
      return file;
    },
    close(file) {
      if (files.delete(file)) attempt(() => fs.closeSync(file));
    },
    readAt(file, buffer, offset) {
      return attempt(() => {
        let done = 0;
        while (done < buffer.length) {
          const count = fs.readSync(file, buffer, done, buffer.length - done, offset + done);
          if (count === 0) break;
          done += count;
        }
        return done;
      });
    },
    writeAt(file, bytes, offset) {
      attempt(() => {
        for (let done = 0; done < bytes.length; ) {
          done += fs.writeSync(file, bytes, done, bytes.length - done, offset + done);
        }
      });
    },
    truncate: (file, size) => attempt(() => fs.ftruncateSync(file, size)),
    // As `StdFile::sync` of limbic-vfs: libuv calls F_FULLFSYNC on macOS and FlushFileBuffers on Windows.
    sync: (file) => attempt(() => fs.fdatasyncSync(file)),
    size: (file) => attempt(() => fs.fstatSync(file).size),
    statOpen: (file) => attempt(() => fileStat(fs.fstatSync(file))),
    stat(path) {
      const found = attempt(() => fs.statSync(path, { throwIfNoEntry: false }));
      return found === undefined ? undefined : fileStat(found);
    },
    may(path, write) {
      try {
        fs.accessSync(path, write ? fs.constants.R_OK | fs.constants.W_OK : fs.constants.R_OK);
        return true;
      } catch (error) {
        const failure = hostError(error);
        if (failure.kind === 'denied' || failure.kind === 'not-found') return false;
        throw failure;
      }
    },
    delete(path) {
      attempt(() => fs.unlinkSync(path));
      made.delete(path);
    },
    realPath(path) {
      try {
        return fs.realpathSync.native(path);
      } catch (error) {
        const failure = hostError(error);
        if (failure.kind !== 'not-found') throw failure;
        return attempt(() => join(fs.realpathSync.native(dirname(path)), basename(path)));
      }
    },
    syncFolder(path) {
      try {
        const folder = fs.openSync(path, fs.constants.O_RDONLY);
        try {
          fs.fsyncSync(folder);
        } finally {
          fs.closeSync(folder);
        }
      } catch (error) {
        if (!NO_FOLDER_SYNC.includes(codeOf(error))) throw hostError(error);
      }
    },
    createFolder(path) {
      try {
        fs.mkdirSync(path, { mode: 0o700 });
      } catch (error) {
        // With `recursive` alone, Node reports a missing path where a read-only mount forbids the folder.
        if (codeOf(error) === 'ENOENT') attempt(() => fs.mkdirSync(path, { recursive: true, mode: 0o700 }));
        else if (codeOf(error) !== 'EEXIST' || !fs.statSync(path).isDirectory()) throw hostError(error);
      }
    },
    deleteFolder: (path) => attempt(() => fs.rmdirSync(path)),
    list: (path) => attempt(() => fs.readdirSync(path)),
    create(path, content) {
      // The core's bytes are a view of its memory, which changes.
      const written = Buffer.from(content);
      attempt(() => fs.writeFileSync(path, written, { flag: 'wx', mode: 0o600 }));
      made.set(path, () => fs.readFileSync(path).equals(written));
    },
    link(from, to) {
      try {
        fs.linkSync(from, to);
      } catch (error) {
        throw NO_LINKS.includes(codeOf(error)) ? new FileHostError('unsupported', textOf(error)) : hostError(error);
      }
      made.set(to, () => fs.statSync(to).ino === fs.statSync(from).ino);
    },
    rename: (from, to) => attempt(() => fs.renameSync(from, to)),
    copyOwner(from, to) {
      if (process.platform === 'win32') return;
      attempt(() => {
        const [wanted, found] = [fs.statSync(from), fs.statSync(to)];
        if (wanted.uid !== found.uid || wanted.gid !== found.gid) fs.chownSync(to, wanted.uid, wanted.gid);
        fs.chmodSync(to, wanted.mode & 0o777);
      });
    },
    read: (path) => attempt(() => fs.readFileSync(path)),
    holdBeacon(path) {
      const file = attempt(() => beacons.hold(path));
      if (file === undefined) throw new FileHostError('unsupported', 'there are no named pipes');
      files.add(file);
      made.set(path, () => true);
      return file;
    },
    beacon: (path) => beacons.state(path),
    fileSystem: (path) => fileSystem(path),
    sleepMicros(micros) {
      Atomics.wait(pause, 0, 0, micros / 1000);
    },
    nowMillis: () => Date.now(),
    monotonicMillis,
    fillRandom(buffer) {
      randomFillSync(buffer);
    },
    identity: () => ({ ...processes.identity(), instance }),
    processStart: (pid, thorough) => processes.start(pid, thorough),
    instanceEnded: (other) => options.hasEnded?.(other) === true,
    abandon() {
      // The beacon is released last: others may break the locks and take them as soon as it is released.
      for (const path of releaseOrder(made.keys())) {
        ignoringErrors(() => {
          if (made.get(path)?.() === true) fs.unlinkSync(path);
        });
      }
      made.clear();
      for (const file of files) ignoringErrors(() => fs.closeSync(file));
      files.clear();
    },
  };
}

/**
 * The order in which the core releases locks: others must not take the journal of a dead writer for one that is being
 * written.
 */
function releaseOrder(paths: Iterable<string>): string[] {
  const ranks = [/^reserved$/, /^pending$/, /^(?!owner-|beacon-)/, /^owner-/, /^beacon-/];
  const order = (path: string): number => ranks.findIndex((rank) => rank.test(basename(path)));
  return [...paths].sort((a, b) => order(a) - order(b));
}

function fileStat(found: fs.Stats): FileStat {
  return {
    size: found.size,
    isFile: found.isFile(),
    changedMillis: found.ctimeMs,
    inode: found.ino,
    createdMillis: found.birthtimeMs,
    device: found.dev,
    links: found.nlink,
  };
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw hostError(error);
  }
}

function ignoringErrors(work: () => void): void {
  try {
    work();
  } catch {
    // Files that cannot be removed here are removed by other processes after this one has ended.
  }
}

function hostError(error: unknown): FileHostError {
  return error instanceof FileHostError ? error : new FileHostError(KINDS[codeOf(error)] ?? 'io', textOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
