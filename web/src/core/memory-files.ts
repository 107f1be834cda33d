/**
 * In-memory files with the methods that the core's module requires of a file host.
 *
 * They outlive the module instance that wrote them, so a trap loses no data.
 */
import { randomId } from '../components/random-id.ts';

type Files = Map<string, Uint8Array<ArrayBuffer>>;

interface OpenFile {
  /** Distinguishes a file from another one that takes its path. */
  readonly inode: number;
  bytes: Uint8Array<ArrayBuffer>;
  size: number;
}

/** A failure with a kind that the core distinguishes. */
class FileError extends Error {
  readonly kind: string;

  constructor(kind: string) {
    super(kind);
    this.kind = kind;
  }
}

/** The state of a file, or of a folder. */
function statOf(file: OpenFile | undefined): object {
  const { size, inode } = file ?? { size: 0, inode: 1 };
  return { size, isFile: file !== undefined, changedMillis: 0, inode, createdMillis: 0, device: 1, links: 1 };
}

const FOLDER = '/limbic';
const GROWTH = 1.5;

export class MemoryFiles {
  readonly #files = new Map<string, OpenFile>();
  readonly #folders = new Set<string>();
  readonly #open = new Map<number, OpenFile>();
  readonly #instance = randomId();
  #nextFile = 1;
  #nextInode = 2;

  constructor(files?: ReadonlyMap<string, Uint8Array<ArrayBuffer>>) {
    for (const [path, bytes] of files ?? []) this.#add(path, bytes);
  }

  /** The path of a database among these files. */
  static path(name: string): string {
    return `${FOLDER}/${name}`;
  }

  /** The files for another instance; locks are not included. */
  snapshot(): Files {
    const kept = [...this.#files].filter(([path]) => !path.includes('-locks/'));
    return new Map(kept.map(([path, { bytes, size }]) => [path, bytes.slice(0, size)]));
  }

  open(path: string, mode: 'read' | 'write' | 'create' | 'create-new'): number {
    if (this.#folders.has(path)) throw new FileError('is-folder');
    let file = this.#files.get(path);
    if (file !== undefined && mode === 'create-new') throw new FileError('exists');
    if (file === undefined) {
      if (mode === 'read' || mode === 'write') throw new FileError('not-found');
      file = this.#add(path, new Uint8Array(0));
    }
    const id = this.#nextFile++;
    this.#open.set(id, file);
    return id;
  }

  close(id: number): void {
    this.#open.delete(id);
  }

  readAt(id: number, buffer: Uint8Array, offset: number): number {
    const file = this.#get(id);
    const count = Math.max(0, Math.min(buffer.length, file.size - offset));
    buffer.set(file.bytes.subarray(offset, offset + count));
    return count;
  }

  writeAt(id: number, bytes: Uint8Array, offset: number): void {
    const file = this.#get(id);
    const end = offset + bytes.length;
    if (end > file.bytes.length) {
      const grown = new Uint8Array(Math.ceil(end * GROWTH));
      grown.set(file.bytes.subarray(0, file.size));
      file.bytes = grown;
    }
    if (offset > file.size) file.bytes.fill(0, file.size, offset);
    file.bytes.set(bytes, offset);
    file.size = Math.max(file.size, end);
  }

  truncate(id: number, size: number): void {
    const file = this.#get(id);
    if (size > file.size) this.writeAt(id, new Uint8Array(size - file.size), file.size);
    file.size = size;
  }

  sync(): void {}

  size(id: number): number {
    return this.#get(id).size;
  }

  stat(path: string): object | undefined {
    const file = this.#files.get(path);
    if (file === undefined && !this.#folders.has(path)) return undefined;
    return statOf(file);
  }

  statOpen(id: number): object {
    return statOf(this.#get(id));
  }

  may(path: string): boolean {
    return this.#files.has(path) || this.#folders.has(path);
  }

  delete(path: string): void {
    if (!this.#files.delete(path)) throw new FileError('not-found');
  }

  realPath(path: string): string {
    return path;
  }

  syncFolder(): void {}

  createFolder(path: string): void {
    this.#folders.add(path);
  }

  deleteFolder(path: string): void {
    this.#folders.delete(path);
  }

  list(path: string): string[] {
    const inside = [...this.#files.keys()].filter((name) => name.startsWith(`${path}/`));
    return inside.map((name) => name.slice(path.length + 1)).filter((name) => !name.includes('/'));
  }

  create(path: string, content: Uint8Array): void {
    if (this.#files.has(path)) throw new FileError('exists');
    this.#add(path, new Uint8Array(content));
  }

  link(from: string, to: string): void {
    const file = this.#files.get(from);
    if (file === undefined) throw new FileError('not-found');
    if (this.#files.has(to)) throw new FileError('exists');
    this.#files.set(to, file);
  }

  rename(from: string, to: string): void {
    const file = this.#files.get(from);
    if (file === undefined) throw new FileError('not-found');
    this.#files.delete(from);
    this.#files.set(to, file);
  }

  /** Files in memory have neither owner nor mode. */
  copyOwner(from: string, to: string): void {
    if (!this.#files.has(from) || !this.#files.has(to)) throw new FileError('not-found');
  }

  read(path: string): Uint8Array {
    const file = this.#files.get(path);
    if (file === undefined) throw new FileError('not-found');
    return file.bytes.slice(0, file.size);
  }

  /** No other process sees these files. */
  holdBeacon(): number {
    throw new FileError('unsupported');
  }

  beacon(): string {
    return 'unknown';
  }

  fileSystem(): undefined {
    return undefined;
  }

  sleepMicros(): void {}

  nowMillis(): number {
    return Date.now();
  }

  monotonicMillis(): number {
    return performance.now();
  }

  fillRandom(buffer: Uint8Array): void {
    // The module's memory may be shared or too long for one call; a copy is neither.
    const bytes = crypto.getRandomValues(new Uint8Array(buffer.length));
    buffer.set(bytes);
  }

  identity(): object {
    return { pid: 1, start: 'page', machine: 'browser', boot: 'page', space: '', instance: this.#instance };
  }

  processStart(): string {
    return 'page';
  }

  instanceEnded(instance: string): boolean {
    return instance !== this.#instance;
  }

  #add(path: string, bytes: Uint8Array<ArrayBuffer>): OpenFile {
    const file = { inode: this.#nextInode++, bytes, size: bytes.length };
    this.#files.set(path, file);
    return file;
  }

  #get(id: number): OpenFile {
    const file = this.#open.get(id);
    if (file === undefined) throw new FileError('io');
    return file;
  }
}
