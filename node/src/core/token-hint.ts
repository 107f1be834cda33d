/** The hint for a client whose token may only read. That of the core is about the options of the server. */
import type { CallAnswer } from 'limbic-shell/answer.ts';
import type { ToolAccess } from '../messages.ts';

/** What the hint about a server that was started for reading contains. */
const OF_SERVER = 'without --read-only';
const OF_TOKEN =
  'The token of this client may only read: use one that was created without --read-only (limbic-memory token create ' +
  'NAME, or Settings in the explorer)';

/** The answer of a call, whose hint is about the token if that is what forbids to write. */
export function withTokenHint(
  answer: CallAnswer,
  access: ToolAccess | undefined,
  isServerReadOnly: boolean,
): CallAnswer {
  if (!answer.isError || access?.readOnly !== true || isServerReadOnly) return answer;
  const failure = JSON.parse(answer.text) as { readonly code?: string; readonly hint?: string };
  const isRefused = failure.code === 'read_only' && failure.hint?.includes(OF_SERVER) === true;
  return isRefused ? { isError: true, text: JSON.stringify({ ...failure, hint: OF_TOKEN }) } : answer;
}
