import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { Core } from 'limbic-pkg/core/limbic_core.js';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { createFileHost, type FileHost, FileHostError } from '../file-host.ts';
import { log } from '../log.ts';
import type { CoreSettings, SessionDomain } from '../messages.ts';
import { inUseError, isInUse } from './in-use.ts';

/** What the core says of a file by reading it alone, before it opens the file for writing. */
const OWNERSHIP_ERRORS: ReadonlySet<string> = new Set(['foreign_database', 'newer_version', 'not_a_database']);

/** The database file, open or to be opened at the next call. */
export class Database {
  readonly #settings: CoreSettings;
  readonly #sessions: readonly SessionDomain[];
  readonly #host = createFileHost();
  #core: Core | undefined;
  #toolsets: readonly string[] | undefined;
  /** The options that the core goes by. */
  #appliedOptions = '';

  /** @param sessions those that go on in the domains which they had selected. */
  constructor(settings: CoreSettings, sessions: readonly SessionDomain[] = []) {
    this.#settings = settings;
    this.#sessions = sessions;
  }

  /** The open core, if it is open. */
  get current(): Core | undefined {
    return this.#core;
  }

  /** Opens the file unless it is open. Throws what the core says when it cannot. */
  open(): Core {
    if (this.#core === undefined) {
      if (isInUse(this.#settings.db)) throw this.#refusal();
      this.#prepareFile();
      this.#appliedOptions = this.options();
      this.#core = Core.open(this.#host, this.#appliedOptions);
      for (const { session, domain } of this.#sessions) this.#core.resume_session(session, domain);
    }
    const wanted = this.options(this.#toolsets);
    if (wanted !== this.#appliedOptions) {
      this.#core.offer(wanted);
      this.#appliedOptions = wanted;
    }
    return this.#core;
  }

  /** The next calls may use these toolsets; without any, those of the settings. */
  setToolsets(toolsets: readonly string[] | undefined): void {
    this.#toolsets = toolsets;
  }

  /** Differs from the one before when others have changed the file. Nothing as long as the file is not open. */
  version(): number | undefined {
    return this.#core?.data_version();
  }

  /** Opens the file ahead of the first call, so that this one is quick. A failure is told by the call that meets it. */
  tryOpen(trapped: (error: unknown) => void): void {
    try {
      this.open();
    } catch (error) {
      const failure = knownFailure(error);
      if (failure === undefined) trapped(error);
      else log(failure.hint === undefined ? failure.error : `${failure.error}. ${failure.hint}`);
    }
  }

  /** The settings as the core reads them. Whoever names toolsets means ours, so these take the place of another server's, too. */
  options(named?: readonly string[]): string {
    const { db, readOnly, toolsets, compat, searchLogDays, privateLog, redact, user, testClockMillis } = this.#settings;
    const selected = named === undefined ? { toolsets, compat } : { toolsets: named };
    return JSON.stringify({
      path: db,
      readOnly,
      ...selected,
      searchLogDays,
      privateLog,
      redact,
      user,
      testClock: testClockMillis,
    });
  }

  /** Closes the file in good order. */
  close(): void {
    this.#core?.close();
    this.#core = undefined;
  }

  /** Lets go of the file after a trap, without another step of the module. */
  abandon(): void {
    this.#core = undefined;
    this.#host.abandon();
  }

  /** Why a file that another program has open is not opened: it is not ours, or it is and would be changed under that program. */
  #refusal(): unknown {
    try {
      Core.open(withoutWriting(this.#host), JSON.stringify({ path: this.#settings.db })).close();
    } catch (error) {
      const failure = knownFailure(error);
      if (failure === undefined || OWNERSHIP_ERRORS.has(failure.code)) return error;
    }
    return inUseError();
  }

  /** What others of this computer may read must not depend on the umask. Opening tells better than this what went wrong. */
  #prepareFile(): void {
    if (this.#settings.readOnly) return;
    try {
      mkdirSync(dirname(this.#settings.db), { recursive: true, mode: 0o700 });
      closeSync(openSync(this.#settings.db, 'a', 0o600));
    } catch (error) {
      log(`the database file cannot be made: ${textOf(error)}`);
    }
  }
}

/** The host without the right to open a file for writing, with which opening a database ends after the check of its owner. */
function withoutWriting(host: FileHost): FileHost {
  return {
    ...host,
    open(path, mode) {
      if (mode !== 'read') throw new FileHostError('io', 'the file is in use');
      return host.open(path, mode);
    },
  };
}
