/**
 * The messages between a hook and a server: one request and one answer, each encrypted and authenticated with the key
 * of the server. On Windows another user may listen at the name of a pipe after the server has ended; without the key,
 * it can neither read the request nor answer it.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { KnownFailure } from 'limbic-shell/failure.ts';

/** A hook to run. */
export interface HookCall {
  readonly hook: string;
  /** The host's JSON, with the project. */
  readonly input: string;
  /** The end of the session's transcript, for the hook that reads it. */
  readonly transcript: Uint8Array | undefined;
}

/** The output of a hook, if it has any, or its failure. */
export type HookReply = { readonly output: string | undefined } | { readonly failure: KnownFailure };

/** Maximum length of a message: the longest transcript in Base64, and as much again for the host's JSON. */
export const MAX_MESSAGE_BYTES = 96 * 1024 * 1024;

export const KEY_BYTES = 32;
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const LENGTH_BYTES = 4;

/** Encrypts a message for this purpose, which the reader must know. */
export function seal(key: Uint8Array, purpose: string, content: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(purpose));
  return Buffer.concat([nonce, cipher.update(content, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts a message.
 *
 * @throws if it has another key or purpose, or was changed.
 */
export function unseal(key: Uint8Array, purpose: string, sealed: Buffer): string {
  const end = sealed.length - TAG_BYTES;
  if (end < NONCE_BYTES) throw new Error('the message is too short');
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(purpose))
    .setAuthTag(sealed.subarray(end));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, end)), decipher.final()]).toString('utf8');
}

/** The purpose of a request to a server of this identity. */
export function ofRequest(identity: string): string {
  return `request ${identity}`;
}

/** The purpose of the answer to a request. */
export function ofAnswer(identity: string, request: Buffer): string {
  return `answer ${request.subarray(-TAG_BYTES).toString('hex')} ${identity}`;
}

export function requestText({ hook, input, transcript }: HookCall): string {
  const encoded = transcript === undefined ? undefined : Buffer.from(transcript).toString('base64');
  return JSON.stringify({ hook, input, transcript: encoded });
}

export function requestOf(text: string): HookCall {
  const { hook, input, transcript } = JSON.parse(text) as { hook: string; input: string; transcript?: string };
  return { hook, input, transcript: transcript === undefined ? undefined : Buffer.from(transcript, 'base64') };
}

/** A message with its length before it. */
export function frame(message: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(message.length);
  return Buffer.concat([length, message]);
}

/** Reads one message. Rejects if it is too long, or the connection ends before. */
export function readFrame(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    let end: number | undefined;
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
      if (end === undefined && bytes >= LENGTH_BYTES) {
        end = LENGTH_BYTES + Buffer.concat(pieces).readUInt32LE();
        if (end > LENGTH_BYTES + MAX_MESSAGE_BYTES) socket.destroy(new Error('the message is too long'));
      }
      if (end !== undefined && bytes >= end) resolve(Buffer.concat(pieces).subarray(LENGTH_BYTES, end));
    });
    socket.on('error', reject);
    socket.on('end', () => reject(new Error('the connection was closed')));
    socket.on('close', () => reject(new Error('the connection was closed')));
  });
}
