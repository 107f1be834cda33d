/** Passphrases: in variables, in files, and typed at a terminal. */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { readPrivateFile } from './key-file.ts';
import { expandPath } from './paths.ts';
import { requireUtf8, UsageError } from './usage.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Two variables: one with a passphrase, and one that names a file with it. */
interface Variables {
  readonly text: string;
  readonly file: string;
}

/** The variables of a passphrase, and of the one that a rotation sets. */
export const PASSPHRASE: Variables = { text: 'LIMBIC_PASSPHRASE', file: 'LIMBIC_PASSPHRASE_FILE' };
export const NEW_PASSPHRASE: Variables = { text: 'LIMBIC_NEW_PASSPHRASE', file: 'LIMBIC_NEW_PASSPHRASE_FILE' };

/**
 * The passphrase in a variable, or in the file that another variable names; `undefined` if neither is set.
 *
 * @throws UsageError if both are set, the file cannot be used, or the passphrase is not UTF-8.
 */
export function passphraseOf({ text, file }: Variables, env: Env): string | undefined {
  const [typed, path] = [env[text], env[file]].map((value) => (value === '' ? undefined : value));
  if (typed !== undefined && path !== undefined) {
    throw new UsageError(`${text} and ${file} cannot be combined: set one of them`);
  }
  requireUtf8(typed, text, `set ${file} instead`);
  if (path === undefined) return typed;
  const bytes = readPrivateFile(expandPath(path, file), file);
  if (bytes === undefined) throw new UsageError(`${file} names a file that does not exist: ${path}`);
  try {
    // The core removes a byte order mark.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${file} (${path}): it is not UTF-8`);
  }
}

/** The files with passphrases that the environment names. */
export function passphraseFiles(env: Env): string[] {
  return [PASSPHRASE, NEW_PASSPHRASE].flatMap(({ file }) => {
    const path = env[file];
    try {
      return path === undefined || path === '' ? [] : [expandPath(path, file)];
    } catch {
      // What needs the passphrase reports the reason.
      return [];
    }
  });
}

/** Whether a person can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Asks for passphrases at a terminal, and does not show what is typed. */
export class PassphrasePrompt {
  #input: Interface | undefined;
  /** Lines that were typed before they were asked for. */
  readonly #lines: string[] = [];
  #isEnded = false;
  #wake: () => void = () => {};

  /**
   * Asks for the passphrase of a database.
   *
   * @throws UsageError if there is no terminal, or nothing was typed.
   */
  async present(db: string): Promise<string> {
    if (!canAsk()) {
      throw new UsageError(
        `the key of ${db} is derived from a passphrase: run this at a terminal, or set ${PASSPHRASE.file} or ${PASSPHRASE.text}`,
      );
    }
    return this.#ask(`Passphrase of ${db}: `);
  }

  /**
   * Asks twice for the new passphrase of a database. `variables` are what a program sets instead; `check` refuses one
   * that is too short.
   *
   * @throws UsageError if there is no terminal, or the two differ.
   */
  async fresh(db: string, { text, file }: Variables, check: (text: string) => void): Promise<string> {
    if (!canAsk())
      throw new UsageError(`there is no new passphrase: run this at a terminal, or set ${file} or ${text}`);
    const typed = await this.#ask(`New passphrase of ${db}: `);
    check(typed);
    const again = await this.#ask('Repeat the passphrase: ');
    if (typed.normalize() !== again.normalize()) {
      throw new UsageError('the two passphrases differ, and nothing was changed: try again');
    }
    return typed;
  }

  /** Gives the terminal back. */
  close(): void {
    this.#input?.close();
    this.#input = undefined;
  }

  async #ask(prompt: string): Promise<string> {
    this.#open();
    process.stderr.write(prompt);
    while (this.#lines.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    process.stderr.write('\n');
    const line = this.#lines.shift();
    if (line === undefined) throw new UsageError('no passphrase was typed, and nothing was changed');
    return line;
  }

  #open(): void {
    if (this.#input !== undefined) return;
    // The line editor shows what is typed on its output.
    const output = new Writable({ write: (_chunk, _encoding, done) => done() });
    const input = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
    input.on('line', (line) => {
      this.#lines.push(line);
      this.#wake();
    });
    input.on('SIGINT', () => input.close());
    input.on('close', () => {
      this.#isEnded = true;
      this.#wake();
    });
    this.#input = input;
  }
}
