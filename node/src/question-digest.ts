import { createHash } from 'node:crypto';

/** Identifies a question that a person is to answer. */
export function questionDigest(question: string): string {
  return createHash('sha256').update(question).digest('base64url');
}
