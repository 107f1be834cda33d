/** Texts that `hook install` writes between quotation marks to a command line in the settings. */
import { UsageError } from './usage.ts';

/** Characters that a shell interprets even between quotation marks. */
const SHELL_CHARACTERS = /["'$`\\%!^&|<>\p{Cc}]/u;
/** The same for paths, which may contain apostrophes, and on Windows backslashes. */
const PATH_CHARACTERS = process.platform === 'win32' ? /["$`%\p{Cc}]/u : /["$`\\\p{Cc}]/u;
const PATH_CHARACTER_LIST = process.platform === 'win32' ? '" $ ` %' : '" $ ` \\';

/**
 * Refuses a text that a shell would interpret between quotation marks.
 *
 * @param named The option that it was given with.
 * @throws UsageError
 */
export function requireShellText(text: string, named: string): void {
  if (SHELL_CHARACTERS.test(text)) throw refusal(text, named, '" \' $ ` \\ % ! ^ & | < >', '');
}

/**
 * Refuses a path that a shell would interpret between quotation marks.
 *
 * @param named The option that it was given with, or what the path is of.
 * @param remedy What to do, after a colon.
 * @throws UsageError
 */
export function requireShellPath(path: string, named: string, remedy = ''): void {
  if (PATH_CHARACTERS.test(path)) throw refusal(path, named, PATH_CHARACTER_LIST, remedy);
}

function refusal(text: string, named: string, characters: string, remedy: string): UsageError {
  return new UsageError(
    `${named} is written to a shell command in the settings, so it must not contain control characters or any of ${characters}, but got "${text}"${remedy}`,
  );
}
