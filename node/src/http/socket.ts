/** A Unix socket that only its owner can connect to. */
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { connect, type Server } from 'node:net';

const OWNER_ONLY = 0o600;
/**
 * Removes the rights of others. The mask is one of the process, and folders that its threads create meanwhile must keep
 * all rights of their owner.
 */
const OTHERS = 0o077;

/** Another server listens on the socket. */
export class SocketInUse extends Error {}

/**
 * Listens on a socket, which is removed when the server is closed. A socket that a killed server has left is replaced.
 *
 * Windows has named pipes in place of sockets, which end with their server.
 *
 * @throws SocketInUse if a server listens there.
 * @throws if there is another file.
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  if (process.platform === 'win32') return listenOnPipe(server, path);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined) {
    if (!found.isSocket()) throw new Error(`${path} is not a socket: choose another path`);
    if (await isServed(path)) throw new SocketInUse(`the socket ${path} is in use: choose another path`);
    rmSync(path, { force: true });
  }
  // Not even for a moment can others open the socket.
  const mask = process.umask(OTHERS);
  try {
    await new Promise<void>((resolve, reject) => {
      listen(server, path, resolve, reject);
      process.umask(mask);
    });
  } finally {
    process.umask(mask);
  }
  chmodSync(path, OWNER_ONLY);
}

function listenOnPipe(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => listen(server, path, resolve, reject));
}

/** Listens. Another server may have begun to listen there a moment before. */
function listen(server: Server, path: string, resolve: () => void, reject: (error: Error) => void): void {
  const failed = (error: NodeJS.ErrnoException): void =>
    reject(error.code === 'EADDRINUSE' ? new SocketInUse(`${path} is in use: choose another path`) : error);
  server.once('error', failed);
  server.listen(path, () => {
    server.off('error', failed);
    resolve();
  });
}

/** Errors of a socket that no server listens on. One that is busy has others. */
const UNSERVED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK']);

/** Whether a server listens on a socket or named pipe. */
export function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const finish = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => finish(!UNSERVED.has(code)));
  });
}
