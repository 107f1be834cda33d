/** A refusal in the form in which a tool gives one. */
export function refusal(code: 'read_only' | 'not_found' | 'invalid_argument', error: string): Error {
  return new Error(JSON.stringify({ error, code }));
}
