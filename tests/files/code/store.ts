import type { Reader } from "./types";
import Formatter, { format as toText } from "./format.js";
export * from "./types";
export { format as print } from "./format.js";

export interface Store<T extends Entry = Entry> extends Iterable<T> {
  readonly size: number;
  get(key: string): T | undefined;
}

export type Entry = { key: string; value: unknown };
export type Keys = Entry["key"][];

export enum Mode {
  Read = "read",
  Write = "write",
}

export const DEFAULT_MODE: Mode = Mode.Read;

export abstract class Base<T extends Entry> implements Store<T> {
  protected entries = new Map<string, T>();
  constructor(private readonly reader: Reader, public mode = DEFAULT_MODE) {}

  get size(): number {
    return this.entries.size;
  }

  get(key: string): T | undefined;
  get(key: string, fallback: T): T;
  get(key: string, fallback?: T): T | undefined {
    return this.entries.get(key) ?? fallback ?? this.load(key);
  }

  protected abstract load(key: string): T | undefined;

  [Symbol.iterator]() {
    return this.entries.values();
  }
}

export class FileStore extends Base<Entry> {
  protected override load(key: string): Entry | undefined {
    return { key, value: this.reader.read(toText(key)) };
  }
}

export const open = (reader: Reader): FileStore => new FileStore(reader);

namespace Inner {
  export function help(store: FileStore) {
    return store.get("help");
  }
}

declare module "outside" {
  export function missing(): void;
}

export default function main(reader: Reader) {
  const store = open(reader);
  [store].forEach((one) => one.get("x"));
  return Inner.help(store), new Formatter();
}
