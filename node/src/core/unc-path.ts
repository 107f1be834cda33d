/** Paths of Windows that name another computer. */
import { win32 } from 'node:path';

/** A path of Windows that may name another computer. */
const UNC = /^[\\/](?:[\\/]|\?\?[\\/])/;
/** A path of Windows for devices, in which any other one can follow. */
const DEVICE = /^[\\/](?:[\\/][?.]|\?\?)(?:[\\/]|$)/;

/**
 * Whether a path of Windows names no computer (`\\host\share`) but those of some folders. Windows logs in there as
 * soon as the path is looked at, and so discloses a digest of the user's password.
 */
export function isOnKnownComputer(path: string, folders: readonly string[]): boolean {
  // As paths are expanded.
  const named = path.trim();
  if (!UNC.test(named)) return true;
  if (DEVICE.test(named)) return false;
  const known = folders.filter((folder) => UNC.test(folder)).map(rootOf);
  return known.includes(rootOf(named));
}

/** The computer and the share, which Windows compares without case. */
function rootOf(path: string): string {
  return win32.parse(win32.normalize(path)).root.toLowerCase();
}

/** Whether a path may be looked up for someone who may reach these folders only. Other systems have no such paths. */
export function mayLookUp(path: string, folders: readonly string[]): boolean {
  return process.platform !== 'win32' || isOnKnownComputer(path, folders);
}
