const BYTES = 16;

/** A random id in hexadecimal digits. `crypto.randomUUID` would need a secure context. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
}
