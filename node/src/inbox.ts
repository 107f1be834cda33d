/** `limbic-memory inbox`: lists the memories and folders that wait for review, and decides about them. */
import { existsSync } from 'node:fs';
import { taken } from 'limbic-shell/answer.ts';
import { knownFailure, textOf } from 'limbic-shell/failure.ts';
import { loadCore, openStandalone } from './core/standalone.ts';
import type { InboxOptions } from './inbox-options.ts';
import { log } from './log.ts';

const NO_ENCODINGS = new Uint8Array(0);
/** Maximum number of memories that are listed. */
const MAX_LISTED = 1000;

/** A part of the answer of `explore_inbox`. */
interface Inbox {
  readonly total: number;
  readonly memories: readonly {
    readonly id: string;
    readonly domain: string;
    readonly tier: string;
    readonly pinned: boolean;
    readonly content: string;
    readonly waits_for?: { readonly label: string; readonly project?: string };
  }[];
  readonly folders?: readonly { readonly confirmed: boolean }[];
}

/** Prints the memories that wait, or the result of an action. Returns the exit code. */
export function runInbox({ db, action, names, readOnly }: InboxOptions): number {
  if (!existsSync(db)) {
    log(`the database does not exist: ${db}`);
    return 2;
  }
  try {
    loadCore();
    const database = openStandalone(db, { toolsets: ['explorer'], shell: 'inbox', readOnly });
    try {
      const core = database.open();
      core.introduce(undefined, 'cli', '', '');
      const [tool, args] =
        action === 'list' ? ['explore_inbox', { limit: MAX_LISTED }] : ['review_inbox', { [action]: names }];
      const { isError, text } = taken(core.call(tool, JSON.stringify(args), NO_ENCODINGS));
      if (isError || action !== 'list') process.stdout.write(`${text}\n`);
      else printInbox(JSON.parse(text) as Inbox);
      return isError ? 1 : 0;
    } finally {
      database.close();
    }
  } catch (error) {
    log(knownFailure(error)?.error ?? textOf(error));
    return 2;
  }
}

function printInbox({ memories, total, folders = [] }: Inbox): void {
  for (const { id, waits_for, domain, tier, pinned, content } of memories) {
    const shown = { id, origin: waits_for?.label, project: waits_for?.project, domain, tier, pinned, content };
    process.stdout.write(`${JSON.stringify(shown)}\n`);
  }
  for (const folder of folders) process.stdout.write(`${JSON.stringify(folder)}\n`);
  const waiting = folders.filter(({ confirmed }) => !confirmed).length;
  log(`${total} memories and ${waiting} folders wait for confirmation`);
}
