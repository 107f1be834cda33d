import type { Answer } from 'limbic-pkg/core/limbic_core.js';
import { knownFailure } from './failure.ts';

/** The answer of a call, as JSON text. */
export interface CallAnswer {
  readonly isError: boolean;
  readonly text: string;
}

/** An answer in the module's memory. */
export type HeldAnswer = Pick<Answer, 'isError' | 'takeText' | 'free'>;

/** Moves an answer out of the module's memory. */
export function taken(answer: HeldAnswer): CallAnswer {
  try {
    return { isError: answer.isError, text: answer.takeText() };
  } finally {
    answer.free();
  }
}

/** A failure of a shell, in the form in which tools fail. */
export function failedWith(code: string, error: string, hint?: string): CallAnswer {
  return { isError: true, text: JSON.stringify({ error, code, hint }) };
}

/** The answer for an expected failure. Anything else is thrown again: the module trapped. */
export function failedBy(thrown: unknown): CallAnswer {
  const failure = knownFailure(thrown);
  if (failure === undefined) throw thrown;
  return { isError: true, text: JSON.stringify(failure) };
}

/** The answer to a call during which the module trapped. */
export function brokenBy(reason: string): CallAnswer {
  return failedWith(
    'internal',
    `Internal error; the core was restarted: ${reason}`,
    'Check whether the call took effect before you repeat it, and please report the error',
  );
}
