/** The error of the library, and the check of its options. */
import { echo } from './log.ts';
import { suggest } from './suggest.ts';

/** A tool that failed, with the tool's code and hint. */
export class LimbicError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor({ error, code, hint }: { readonly error: string; readonly code: string; readonly hint?: string }) {
    super(error);
    this.name = 'LimbicError';
    this.code = code;
    this.hint = hint;
  }
}

/** Refuses options that do not exist: a misspelt one would be ignored, and `readonly` would write. */
export function requireKnown(name: string, options: object, known: readonly string[]): void {
  for (const option of Object.keys(options)) {
    if (known.includes(option)) continue;
    const near = suggest(option, known);
    const hint = near === undefined ? `The options are ${known.join(', ')}` : `Did you mean ${near}?`;
    throw new LimbicError({
      error: `${name} has no option ${JSON.stringify(echo(option))}`,
      code: 'invalid_argument',
      hint,
    });
  }
}
