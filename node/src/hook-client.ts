/** Asks a running server to run a hook, so that the hook need not load the core. */
import { connect } from 'node:net';
import {
  frame,
  type HookCall,
  type HookReply,
  ofAnswer,
  ofRequest,
  readFrame,
  requestText,
  seal,
  unseal,
} from './hook-messages.ts';
import { type HookAccess, identityOf, isPrivate, pathsOf, readEntry, socketOf } from './hook-socket-paths.ts';

/**
 * Time to connect and to wait for an answer, after which the hook opens the file: the server may be in a long call. A
 * socket without a server refuses at once.
 */
const ANSWER_MILLIS = 2000;
/** {@link ANSWER_MILLIS} at the end of a session: hosts kill hooks that take longer than about a second there. */
const STORE_MILLIS = 500;

/** The answer of a server of the same version with the same options; `undefined` if there is none. Never rejects. */
export async function askServer(access: HookAccess, call: HookCall): Promise<HookReply | undefined> {
  try {
    const identity = identityOf(access);
    const paths = pathsOf(identity);
    if (paths === undefined || !isPrivate(paths.folder)) return undefined;
    const entry = readEntry(paths);
    if (entry === undefined) return undefined;
    const { key, name } = entry;
    const request = seal(key, ofRequest(identity), requestText(call));
    const answer = await roundTrip(socketOf(paths, name), request, limitMillis(call));
    return JSON.parse(unseal(key, ofAnswer(identity, request), answer)) as HookReply;
  } catch {
    // There is no server, it serves no such hook, or it is busy: the hook opens the file itself.
    return undefined;
  }
}

function limitMillis({ transcript }: HookCall): number {
  const test = process.env['LIMBIC_TEST_HOOK_MILLIS'];
  if (test !== undefined) return Number(test);
  return transcript === undefined ? ANSWER_MILLIS : STORE_MILLIS;
}

/** Sends a request and reads the answer. Rejects if that takes longer than `millis`. */
async function roundTrip(path: string, request: Buffer, millis: number): Promise<Buffer> {
  const socket = connect(path);
  const timer = setTimeout(() => socket.destroy(new Error('no answer in time')), millis);
  socket.write(frame(request));
  try {
    return await readFrame(socket);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
