/** Explains whether the database is encrypted, in one sentence. */
export function encryptionSentence(isEncrypted: boolean): string {
  return isEncrypted
    ? 'The database file can be read only with its key; exports and copies of it as text are not encrypted.'
    : 'The database file is not encrypted: anyone who can read it can read every memory.';
}
