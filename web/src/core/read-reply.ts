import type { Reply } from './messages.ts';

/** Takes the answer apart. Its text is kept as the core wrote it: numbers and order of keys are the same on every build. */
export function readReply(answer: string): Reply {
  const [, isError, text] = /^\{"isError":(true|false),"content":(.*)\}$/s.exec(answer) ?? [];
  if (isError === undefined || text === undefined) throw new Error('the answer of the core has another form than agreed');
  return { isError: isError === 'true', text };
}
