/**
 * Texts that `hook install` writes to a command line in the settings. The host runs it with sh; on Windows with cmd,
 * PowerShell or the sh of Git, which have only double quotation marks in common.
 */
import { UsageError } from './usage.ts';

/** Characters that sh interprets between double quotation marks. */
const INTERPRETED = /["$`\\!]/;
/** Characters that are refused everywhere; those that a shell of Windows interprets between double quotation marks. */
const CONTROL = /\p{Cc}/u;
const OF_WINDOWS = { path: /["$`%]/, text: /["$`%\\!^&|<>]/ };
const LIST_OF_WINDOWS = { path: '" $ ` %', text: '" $ ` % \\ ! ^ & | < >' };

/** A text for a command line. */
export interface ShellText {
  readonly text: string;
  /** On Windows, a path may contain backslashes. */
  readonly kind: keyof typeof OF_WINDOWS;
  /** The option that it was given with, or what the path is of. */
  readonly named: string;
  /** The remedy if it is refused, after a colon. */
  readonly remedy?: string;
}

/**
 * Quotes a text as one word of a command line.
 *
 * @throws UsageError if it contains control characters or, on Windows, characters that its shells interpret
 * differently.
 */
export function shellWord(
  { text, kind, named, remedy = '' }: ShellText,
  platform: NodeJS.Platform = process.platform,
): string {
  const isOfWindows = platform === 'win32';
  if (CONTROL.test(text) || (isOfWindows && OF_WINDOWS[kind].test(text))) {
    const characters = isOfWindows ? ` or any of ${LIST_OF_WINDOWS[kind]}` : '';
    throw new UsageError(
      `${named} is written to a shell command in the settings, so it must not contain control characters${characters}, but got "${text}"${remedy}`,
    );
  }
  return INTERPRETED.test(text) && !isOfWindows ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}
