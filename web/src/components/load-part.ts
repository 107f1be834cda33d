import type { ToolError } from '../source/tools.ts';

/** The error of a part of the page that cannot be loaded: it was replaced by an update, or there is no network. */
export class PartNotLoaded extends Error {
  readonly problem: ToolError;

  constructor(cause: unknown) {
    super('This part of the page could not be loaded.', { cause });
    const hint = 'There may be a newer version of the page, or no network. Reload the page.';
    this.problem = { error: this.message, code: 'part_unreachable', hint };
  }
}

/** Loads a part of the page. Rejects with `PartNotLoaded`. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new PartNotLoaded(error);
  }
}
