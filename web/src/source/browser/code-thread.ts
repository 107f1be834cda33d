import codeWasm from 'limbic-packed/code.bin?url';
import codeMoreWasm from 'limbic-packed/code-more.bin?url';
import subwords from 'limbic-packed/code-subwords.bin?url';
import { brokenBy, failedWith } from 'limbic-shell/answer.ts';
import { textOf } from 'limbic-shell/failure.ts';
import type { FromCode, ToCode } from '../../core/code-messages.ts';
import type { Reply } from '../../core/messages.ts';
import { readAnswer } from '../base-source.ts';
import type { OpenedFolder, PageCode } from '../page-code.ts';
import { createStore } from '../store.ts';
import type { Answer, Output } from '../tools.ts';
import { WatchedWorker } from './watched-worker.ts';

/** The tools that change the list of projects. */
const CHANGING: ReadonlySet<string> = new Set(['index_project', 'delete_project']);

/** The page's interface to the worker that indexes source code, which is started when a folder is opened. */
export class CodeThread implements PageCode {
  readonly isOpen = createStore(false);
  readonly #core: string;
  readonly #changed: () => void;
  readonly #folders = new Map<string, OpenedFolder>();
  readonly #outstanding = new Map<number, (reply: Reply) => void>();
  #worker: WatchedWorker<ToCode, FromCode> | undefined;
  #nextId = 0;

  /**
   * @param core URL of the core's compressed module.
   * @param changed called when projects were added, read again or deleted.
   */
  constructor(core: string, changed: () => void) {
    this.#core = core;
    this.#changed = changed;
  }

  async add(folder: OpenedFolder): Promise<Answer<Output<'index_project'>>> {
    const name = projectName(folder.name);
    try {
      const files = await folder.files();
      this.#folders.set(name, folder);
      const answer = readAnswer<Output<'index_project'>>(await this.#ask((id) => ({ type: 'add', id, name, files })));
      if (answer.ok) {
        this.isOpen.set(true);
        this.#changed();
      }
      return answer;
    } catch (error) {
      return readAnswer(
        failedWith('unreadable_folder', `The folder ${name} cannot be read: ${textOf(error)}`, 'Open it again.'),
      );
    }
  }

  async update(project: string): Promise<Answer<Output<'index_project'>>> {
    const folder = this.#folders.get(project);
    if (folder !== undefined) return this.add(folder);
    return readAnswer(failedWith('unreadable_folder', `The folder ${project} is not open`, 'Open it again.'));
  }

  /** Runs a tool on the index. Never rejects; failures are returned as an error reply. */
  async run(tool: string, args: string): Promise<Reply> {
    const reply = await this.#ask((id) => ({ type: 'call', id, tool, args }));
    if (CHANGING.has(tool) && !reply.isError) this.#changed();
    return reply;
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #ask(message: (id: number) => ToCode): Promise<Reply> {
    const worker = (this.#worker ??= this.#start());
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#outstanding.set(id, resolve);
      worker.post(message(id));
    });
  }

  #start(): WatchedWorker<ToCode, FromCode> {
    const worker = new Worker(new URL('../../core/code-worker.ts', import.meta.url), { type: 'module', name: 'code' });
    const watched = new WatchedWorker<ToCode, FromCode>(worker, {
      onmessage: (message) => this.#receive(message),
      onerror: (reason) => this.#end(brokenBy(reason)),
      onunloadable: (failure) => this.#end({ isError: true, text: JSON.stringify(failure) }),
      onended: () => this.#end(ended()),
    });
    const assets = {
      core: this.#core,
      code: absolute(codeWasm),
      more: absolute(codeMoreWasm),
      subwords: absolute(subwords),
    };
    watched.post({ type: 'start', assets, livenessLock: watched.livenessLock });
    return watched;
  }

  #receive(message: FromCode): void {
    if (message.type === 'trapped') this.#end(brokenBy(message.reason));
    if (message.type !== 'reply') return;
    this.#outstanding.get(message.id)?.(message.reply);
    this.#outstanding.delete(message.id);
  }

  /** The worker is of no use any more: its index is lost, and another worker starts with the next folder. */
  #end(reply: Reply): void {
    this.close();
    for (const resolve of this.#outstanding.values()) resolve(reply);
    this.#outstanding.clear();
    this.isOpen.set(false);
  }
}

/** The id of a folder's project, which may not have the characters that ids of symbols divide by. */
function projectName(folder: string): string {
  return folder.replaceAll(/[:#\p{Cc}]/gu, '-');
}

function absolute(url: string): string {
  return new URL(url, document.baseURI).href;
}

function ended(): Reply {
  return failedWith(
    'interrupted',
    'The browser ended the worker that indexes source code.',
    'Close other tabs, and open the folder again.',
  );
}
