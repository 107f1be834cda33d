/** A `-wal` file with the changes between two states of a database, in the format of SQLite. */
import { strictEqual } from 'node:assert';

/** Big-endian checksums. */
const MAGIC = 0x377f0683;
const VERSION = 3_007_000;
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const SALTS = [0x12345678, 0x9abcdef0] as const;
const PAGE_SIZE_AT = 16;

/** The database file as it is before a checkpoint: in WAL mode, with the content of `before`. */
export function inWalMode(before: Buffer): Buffer {
  const bytes = Buffer.from(before);
  bytes.fill(2, 18, 20);
  return bytes;
}

/** One committed transaction that writes every page in which `after` differs from `before`. */
export function walOf(before: Buffer, after: Buffer): Buffer {
  const pageBytes = after.readUInt16BE(PAGE_SIZE_AT);
  strictEqual(before.readUInt16BE(PAGE_SIZE_AT), pageBytes);
  const pages = after.length / pageBytes;
  const pageOf = (file: Buffer, index: number): Buffer => file.subarray(index * pageBytes, (index + 1) * pageBytes);
  const changed = Array.from({ length: pages }, (_, index) => index).filter(
    (index) => !pageOf(before, index).equals(pageOf(after, index)),
  );
  const header = Buffer.alloc(HEADER_BYTES);
  for (const [index, word] of [MAGIC, VERSION, pageBytes, 0, ...SALTS].entries())
    header.writeUInt32BE(word >>> 0, index * 4);
  let sums = checksum(header.subarray(0, 24), [0, 0]);
  header.writeUInt32BE(sums[0], 24);
  header.writeUInt32BE(sums[1], 28);
  const frames = changed.map((index, count) => {
    const frame = Buffer.alloc(FRAME_HEADER_BYTES + pageBytes);
    frame.writeUInt32BE(index + 1, 0);
    // The last frame commits: it contains the size of the database.
    frame.writeUInt32BE(count === changed.length - 1 ? pages : 0, 4);
    frame.writeUInt32BE(SALTS[0], 8);
    frame.writeUInt32BE(SALTS[1], 12);
    const page = pageOf(after, index);
    (index === 0 ? inWalMode(page) : page).copy(frame, FRAME_HEADER_BYTES);
    sums = checksum(frame.subarray(FRAME_HEADER_BYTES), checksum(frame.subarray(0, 8), sums));
    frame.writeUInt32BE(sums[0], 16);
    frame.writeUInt32BE(sums[1], 20);
    return frame;
  });
  return Buffer.concat([header, ...frames]);
}

function checksum(bytes: Buffer, [first, second]: readonly [number, number]): [number, number] {
  let [a, b] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + bytes.readUInt32BE(at) + b) >>> 0;
    b = (b + bytes.readUInt32BE(at + 4) + a) >>> 0;
  }
  return [a, b];
}
