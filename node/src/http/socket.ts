/** A Unix socket that only its owner can connect to. */
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { log } from '../log.ts';

const OWNER_ONLY = 0o600;

/**
 * Listens on a socket, which is removed when the server is closed. A socket that a killed server has left is replaced.
 *
 * @throws if a server listens there, or if there is another file.
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined) {
    if (!found.isSocket()) throw new Error(`${path} is no socket: choose another path`);
    if (await isServed(path)) throw new Error(`the socket ${path} is in use: choose another path`);
    rmSync(path, { force: true });
  }
  // The socket is created with its final rights, and not opened to others for a moment.
  const mask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, () => {
        server.off('error', reject);
        resolve();
      });
      process.umask(mask);
    });
  } finally {
    process.umask(mask);
  }
  server.on('error', (error) => log(`HTTP: ${error.message}`));
  chmodSync(path, OWNER_ONLY);
}

/** Whether a server accepts connections on a socket. */
function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', settle(true));
    socket.once('error', settle(false));
  });
}
