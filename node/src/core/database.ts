import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Core, require_new_passphrase } from 'limbic-pkg/core/limbic_core.js';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { createFileHost, type FileHost, FileHostError } from '../file-host.ts';
import { log } from '../log.ts';
import type { CoreSession, CoreSettings, CoreStart, SessionDomain, ToolAccess } from '../messages.ts';
import { isMissing, type Secret, secretOfDatabase } from '../key-source.ts';
import { createDatabase } from '../new-database.ts';
import { CodeHost } from './code-host.ts';
import { inUseError, isInUse } from './in-use.ts';

/** Errors that the core reports after reading a file, before it opens the file for writing. */
const OWNERSHIP_ERRORS: ReadonlySet<string> = new Set([
  'encrypted_database',
  'foreign_database',
  'newer_version',
  'not_a_database',
]);

/** The database file; opened at the next call if it is closed. */
export class Database {
  readonly #settings: CoreSettings;
  /** The domain of each session, in which it continues when the file is opened again. */
  readonly #domains: Map<string, string>;
  readonly #host: FileHost;
  readonly #code: CodeHost | undefined;
  #core: Core | undefined;
  #access: ToolAccess | undefined;
  /** The options that the core currently uses. */
  #appliedOptions = '';
  /** Whether a new database can be a copy of the empty one: it is not encrypted, and nobody sets its time. */
  #isPlain = false;

  /**
   * @param sessions sessions to resume, with the domain of each.
   * @param thread the thread that it is opened in, if that may be replaced.
   */
  constructor(
    settings: CoreSettings,
    sessions: readonly SessionDomain[] = [],
    thread?: Pick<CoreStart, 'instance' | 'former'>,
  ) {
    this.#settings = settings;
    this.#host = createFileHost({
      beforeCreate: (path) => this.#create(path),
      ...(thread && {
        instance: thread.instance,
        hasEnded: (other) =>
          thread.former.some(({ instance, end }) => instance === other && Atomics.load(end, 0) === 1),
      }),
    });
    const { code } = settings;
    this.#code = code === undefined ? undefined : new CodeHost(code, code.subwords);
    this.#domains = new Map(sessions.map(({ session, domain }) => [session, domain]));
  }

  /** The open core, if it is open. */
  get current(): Core | undefined {
    return this.#core;
  }

  /** Opens the file if it is closed. Throws the core's error, or that its key is missing. */
  open(): Core {
    if (this.#core === undefined) {
      const secret = this.#secret();
      if (isInUse(this.#settings.db)) throw this.#refusal();
      this.#isPlain = secret === undefined && this.#settings.testClockMillis === undefined;
      this.#prepareFolder();
      this.#appliedOptions = this.options();
      // With the settings alone: an access that offers no tools must not keep the file closed.
      const opened =
        secret === undefined
          ? this.#appliedOptions
          : JSON.stringify({ ...JSON.parse(this.#appliedOptions), ...secret });
      this.#core = Core.open(this.#host, opened, this.#code);
      for (const [session, domain] of this.#domains) this.#core.resume_session(session, domain);
    }
    const wanted = this.options(this.#access);
    if (wanted !== this.#appliedOptions) {
      this.#core.set_access(wanted);
      this.#appliedOptions = wanted;
    }
    return this.#core;
  }

  /** Sets the access of the next calls; default: that of the settings. */
  setAccess(access: ToolAccess | undefined): void {
    this.#access = access;
  }

  /** The domain that a session has selected. */
  domainOf({ id, isStateless }: CoreSession): string | undefined {
    const domain = this.#core?.session_domain(id);
    if (domain !== undefined && !isStateless) this.#domains.set(id, domain);
    return domain;
  }

  /** Drops the state of a session. */
  endSession(id: string): void {
    this.#domains.delete(id);
    this.#core?.end_session(id);
  }

  /** A number that changes when another process has changed the file; `undefined` while the file is closed. */
  version(): number | undefined {
    return this.#core?.data_version();
  }

  /** Opens the file before the first call, to make that call faster. The first call reports a failure. */
  tryOpen(trapped: (error: unknown) => void): void {
    try {
      this.open();
    } catch (error) {
      const failure = knownFailure(error);
      if (failure === undefined) trapped(error);
      else log(failure.hint === undefined ? failure.error : `${failure.error}. ${failure.hint}`);
    }
  }

  /** The settings in the core's format, with this access. Its toolsets and its user also override `compat`. */
  options(access?: ToolAccess): string {
    const { db, acceptsSharedDisk, toolsets, compat, searchLogDays, privateLog, redact } = this.#settings;
    const { scanGraph, assistantMarks, testClockMillis, code, shell } = this.#settings;
    const readOnly = this.#settings.readOnly || access?.readOnly === true;
    const writeRights = access?.readOnly === true && !this.#settings.readOnly ? 'token' : undefined;
    const user = access?.isForAllUsers === true ? undefined : (access?.user ?? this.#settings.user);
    const ofSettings = access?.user === undefined ? { toolsets, compat } : { toolsets };
    const selected = access?.toolsets === undefined ? ofSettings : { toolsets: access.toolsets };
    return JSON.stringify({
      path: db,
      sharedDisk: acceptsSharedDisk,
      readOnly,
      writeRights,
      ...selected,
      searchLogDays,
      privateLog,
      redact,
      scanGraph,
      code: code !== undefined,
      codeRoot: code?.root,
      user,
      // Only clients over HTTP are limited to a folder, or to none.
      remote: access?.imports !== undefined,
      asStored: access?.asStored === true,
      assistantMarks,
      testClock: testClockMillis,
      shell,
    });
  }

  /** Releases the memory of the module that parses source code. */
  restCode(): void {
    this.#code?.rest();
  }

  /** Closes the file. */
  close(): void {
    this.#core?.close();
    this.#core = undefined;
  }

  /** Closes a file that is no longer at its path, so that the next call opens the one that is. */
  reopen(): void {
    try {
      this.close();
    } catch (error) {
      log(`the database file that was moved could not be closed cleanly: ${textOf(error)}`);
      this.abandon();
    }
  }

  /** Releases the file after a trap, without calling the module. */
  abandon(): void {
    this.#core = undefined;
    this.#host.abandon();
  }

  /**
   * The error for a file that another program has open: the core's error if the file is not a Limbic database, else
   * that it is in use.
   */
  #refusal(): unknown {
    try {
      Core.open(withoutWriting(this.#host), JSON.stringify({ path: this.#settings.db })).close();
    } catch (error) {
      const failure = knownFailure(error);
      if (failure === undefined || OWNERSHIP_ERRORS.has(failure.code)) return error;
    }
    return inUseError();
  }

  /** Returns the secret of the database, if it is encrypted. Throws an error in the core's form. */
  #secret(): Secret | undefined {
    const { db } = this.#settings;
    let secret: Secret | undefined;
    try {
      secret = secretOfDatabase(db);
    } catch (error) {
      throw new Error(JSON.stringify({ error: textOf(error), code: 'invalid_argument' }));
    }
    if (secret !== undefined && 'passphrase' in secret && isMissing(db)) require_new_passphrase(secret.passphrase);
    return secret;
  }

  /** Creates the database before the core opens it, if this is its path, and not that of its journal. */
  #create(path: string): void {
    if (!this.#isPlain || path.endsWith('-journal')) return;
    if (path === this.#host.realPath(this.#settings.db)) createDatabase(path);
  }

  /**
   * Creates the folder of the file, accessible to its owner only. The core creates the file if it accepts the place.
   */
  #prepareFolder(): void {
    if (this.#settings.readOnly) return;
    try {
      mkdirSync(dirname(this.#settings.db), { recursive: true, mode: 0o700 });
    } catch (error) {
      log(`the folder of the database cannot be created: ${textOf(error)}`);
    }
  }
}

/** A host that opens files only for reading, so that opening a database stops after the check of its owner. */
function withoutWriting(host: FileHost): FileHost {
  return {
    ...host,
    open(path, mode) {
      if (mode !== 'read') throw new FileHostError('io', 'the file is in use');
      return host.open(path, mode);
    },
  };
}
