import type { Answer } from 'limbic-pkg/core/limbic_core.js';
import type { Reply } from './messages.ts';

/** Takes an answer out of the module's memory, where it would lie until somebody cleans up. */
export function readReply(answer: Answer): Reply {
  try {
    return { isError: answer.isError, text: answer.text };
  } finally {
    answer.free();
  }
}
