import coreWasm from 'limbic-packed/core.bin?url';
import type { EncryptionState, Reply, Request, Role } from '../../core/messages.ts';
import type { Stats } from '../../core/stored-content.ts';
import { BaseSource, type RawAnswer, readAnswer } from '../base-source.ts';
import { PAGE_CODE_TOOLS } from '../page-code.ts';
import type { ImportAnswer, ImportOptions, Interruption, PageEncryption, Source } from '../source.ts';
import type { Answer, Tool } from '../tools.ts';
import { CodeThread } from './code-thread.ts';
import { CoreThread } from './core-thread.ts';
import { EncoderThread } from './encoder-thread.ts';
import { StorageKeeper } from './storage-keeper.ts';

export interface BrowserSourceOptions {
  /** Name of the database in the browser's storage. */
  readonly database: string;
  readonly memoryOnly: boolean;
  /** Whether search is by meaning as well; this loads the model. */
  readonly encodes: boolean;
  /** Whether the page shows the sample, for which no browser is asked to keep its storage. */
  readonly isDemo: boolean;
}

const TOOLSETS = ['graph', 'memory', 'domain', 'explorer'];
/** The view is loaded before the model. */
const ENCODER_DELAY_MILLIS = 800;

const CORE_ENDED: Interruption = {
  text: 'The browser ended the database worker of this page; it was started again.',
  detail: 'Nothing stored was lost. Browsers do this when they run out of memory: close tabs that you do not need.',
};
const MEMORY_LOST: Interruption = {
  text: 'The memory of this page was lost: the browser ended its database worker, and nothing was stored.',
  detail:
    'The page continues with an empty memory. Import an earlier export, or use a window whose browser offers storage.',
  isLoss: true,
};
const NOT_STORED = 'The memory is kept only until this page is closed.';
const SAVE_FIRST = 'Export the database (menu Memory…) before you close the page.';
const FILE_LEFT = 'An old file of the memory is still in the browser’s storage.';
const ENCODER_ENDED: Interruption = {
  text: 'The browser ended the encoder; it is being started again.',
  detail: 'Until it is ready, there is keyword search only. Browsers do this when they run out of memory.',
};

/** The database in the browser. Core and encoder start on demand. */
export class BrowserSource extends BaseSource implements Source {
  readonly kind = 'browser';
  readonly code: CodeThread;
  readonly encryption: PageEncryption = {
    newPhrase: () => this.#request({ what: 'new-phrase' }),
    encrypt: (phrase) => this.#request({ what: 'encrypt', phrase }),
    decrypt: () => this.#request({ what: 'decrypt' }),
    unlock: (phrase) => this.#request({ what: 'unlock', phrase }),
  };
  readonly persist = (): Promise<boolean> => this.#keeper.ask();
  readonly #core: CoreThread;
  readonly #encoder: EncoderThread | undefined;
  readonly #keeper = new StorageKeeper({
    api: navigator.storage,
    hasRecords: () => this.#hasRecords(),
    onknown: (isPersistent) => this.setStatus({ isPersistent }),
  });
  readonly #memoryOnly: boolean;
  readonly #isDemo: boolean;
  /** The count of changes when the database was last saved to a file. */
  #savedRevision = 0;

  constructor({ database, memoryOnly, encodes, isDemo }: BrowserSourceOptions) {
    super();
    this.#memoryOnly = memoryOnly;
    this.#isDemo = isDemo;
    const wasm = new URL(coreWasm, document.baseURI).href;
    this.code = new CodeThread(wasm, () => this.#noteCodeChange());
    this.#encoder = encodes
      ? new EncoderThread(
          (encoder) => this.setStatus({ encoder }),
          () => this.#notify(ENCODER_ENDED),
        )
      : undefined;
    this.#core = new CoreThread(
      { wasm, database, memoryOnly, toolsets: TOOLSETS },
      {
        onrole: (role) => this.#takeRole(role),
        onup: () => {
          this.setStatus({ connection: 'ready', problem: undefined });
          this.#checkStorage();
        },
        onproblem: (problem) => this.setStatus({ connection: 'lost', problem }),
        onchanged: () => {
          this.noteChange();
          this.#checkStorage();
        },
        onencryption: (state) => this.#noteEncryption(state),
        onunfinished: (text) => this.#notify({ text: FILE_LEFT, detail: `The memory is open, but ${text}.` }),
        onpending: (pendingEmbeddings) => this.setStatus({ pendingEmbeddings }),
        onended: (isLost) => this.#restarts(isLost),
      },
    );
    if (encodes) this.setStatus({ encoder: { state: 'waiting' } });
    // A closed page gives up its role as leader immediately.
    addEventListener('pagehide', () => this.close());
    addEventListener('beforeunload', (event) => {
      const isUnsaved = this.status.get().storage === 'memory' && this.revision.get() !== this.#savedRevision;
      if (isUnsaved) event.preventDefault();
    });
    addEventListener('pageshow', (event) => {
      if (event.persisted) location.reload();
    });
  }

  async exportDatabase(): Promise<Answer<Blob>> {
    const reply = await this.#core.ask({ what: 'export' });
    if (reply.isError || reply.bytes === undefined) return readAnswer(reply);
    this.#savedRevision = this.revision.get();
    return { ok: true, value: databaseBlob(reply.bytes), text: reply.text };
  }

  async importFile(
    file: File,
    { progress, wal, journal, replaces = false, keepsPrevious = false }: ImportOptions = {},
  ): Promise<ImportAnswer> {
    const reply = await this.#core.ask(
      { what: 'import', name: file.name, file, wal, journal, replaces, keepsPrevious },
      progress,
    );
    return { ...readAnswer(reply), previous: reply.bytes && databaseBlob(reply.bytes) };
  }

  async breakForTest(): Promise<Answer<unknown>> {
    return readAnswer(await this.#core.ask({ what: 'trap' }));
  }

  close(): void {
    this.#core.close();
    this.code.close();
  }

  protected run(tool: string, args: string): Promise<RawAnswer> {
    if (this.code.isOpen.get() && PAGE_CODE_TOOLS.has(tool)) return this.code.run(tool, args);
    return this.#core.ask({ what: 'call', tool, args });
  }

  protected async listTools(): Promise<readonly Tool[]> {
    const reply: Reply = await this.#core.ask({ what: 'tools' });
    if (reply.isError) throw new Error(reply.text);
    return JSON.parse(reply.text) as readonly Tool[];
  }

  async #request<T>(request: Request): Promise<Answer<T>> {
    return readAnswer(await this.#core.ask(request));
  }

  #noteEncryption(state: EncryptionState): void {
    const isLocked = state === 'locked';
    this.setStatus({ isEncrypted: state !== 'plain', isLocked });
    if (!isLocked) this.setStatus({ connection: 'ready', problem: undefined });
  }

  /** Views read again; source code is not part of the memory, which need not be saved for it. */
  #noteCodeChange(): void {
    const isSaved = this.revision.get() === this.#savedRevision;
    this.noteChange();
    if (isSaved) this.#savedRevision = this.revision.get();
  }

  #takeRole(role: Role): void {
    const isFirst = this.status.get().storage === 'unknown';
    if (isFirst && role.storage === 'memory' && !this.#memoryOnly)
      this.#notify({ text: NOT_STORED, detail: `${role.note ?? ''} ${SAVE_FIRST}` });
    const kind = role.kind === 'standalone' ? undefined : role.kind;
    this.setStatus({ storage: role.storage, storageNote: role.note, role: kind });
    if (role.storage === 'memory') this.setStatus({ isEncrypted: false });
    else void this.#keeper.check(false);
    // Only the leader needs an encoder; it encodes the searches of followers.
    if (role.kind === 'follower') this.setStatus({ encoder: undefined });
    else this.#startEncoder();
  }

  /** Only the leader's page asks, since there is one question for all tabs. */
  #checkStorage(): void {
    const { storage, role } = this.status.get();
    if (storage === 'browser') void this.#keeper.check(role === 'leader' && !this.#isDemo);
  }

  async #hasRecords(): Promise<boolean> {
    const answer = readAnswer<Stats>(await this.#core.ask({ what: 'call', tool: 'explore_stats', args: '{}' }));
    const { entities = 0, memories = 0 } = answer.ok ? answer.value.counts : {};
    return entities + memories > 0;
  }

  #restarts(isLost: boolean): void {
    this.setStatus({ connection: 'starting', problem: undefined });
    this.#notify(isLost ? MEMORY_LOST : CORE_ENDED);
    if (!isLost) return;
    this.noteChange();
    this.#savedRevision = this.revision.get();
  }

  #notify(interruption: Interruption): void {
    // A new object each time, since the same event may recur.
    this.setStatus({ interruption: { ...interruption } });
  }

  #startEncoder(): void {
    setTimeout(() => this.#encoder?.join((port) => this.#core.connect(port)), ENCODER_DELAY_MILLIS);
  }
}

function databaseBlob(bytes: Uint8Array<ArrayBuffer>): Blob {
  return new Blob([bytes], { type: 'application/vnd.sqlite3' });
}
