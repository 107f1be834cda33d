/**
 * Beacons: files by which every process on the same kernel can determine whether the process that created them still
 * has them open.
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { childEnvironment } from './child-environment.ts';

/** Whether the owner of a beacon is running; `unknown` if there is none, or it cannot be opened. */
export type BeaconState = 'held' | 'released' | 'unknown';

/** Opens a file on Windows so that no other process can (`UV_FS_O_EXLOCK` of libuv). */
const EXCLUSIVELY = 0x10000000;

/** Creates a beacon and returns its descriptor; undefined where there are none. Throws what `node:fs` throws. */
export function hold(path: string): number | undefined {
  if (process.platform === 'win32') {
    return fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_EXCL | EXCLUSIVELY, 0o600);
  }
  // Throws for a missing folder before a program is started: while nobody has the database open, there is none.
  fs.accessSync(dirname(path));
  // Node cannot create a named pipe. If `mkfifo` fails, `createdByOpening` finds the reason.
  const made = spawnSync('mkfifo', ['-m', '600', path], { stdio: 'ignore', env: childEnvironment() });
  if (made.error !== undefined) return undefined;
  if (made.status !== 0) return createdByOpening(path);
  return fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
}

/** Creates and deletes an ordinary file instead: throws if the folder is missing or unwritable or the disk is full. */
function createdByOpening(path: string): undefined {
  fs.closeSync(fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL, 0o600));
  fs.unlinkSync(path);
  return undefined;
}

/** Whether a beacon is held. */
export function state(path: string): BeaconState {
  try {
    if (process.platform === 'win32') {
      fs.closeSync(fs.openSync(path, fs.constants.O_RDONLY));
      return 'released';
    }
    const file = fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
    const isPipe = fs.fstatSync(file).isFIFO();
    fs.closeSync(file);
    return isPipe ? 'held' : 'unknown';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (process.platform === 'win32') return code === 'EBUSY' ? 'held' : 'unknown';
    return code === 'ENXIO' ? 'released' : 'unknown';
  }
}
