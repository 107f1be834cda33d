/** The steps of an undo: each is tried, also after one has failed. */
import { notify } from '../app/toasts.tsx';
import { counted } from '../components/format.ts';
import type { Answer, ToolError } from '../source/tools.ts';

/** Runs a step for each row. Shows one toast if some failed, with the first error. Returns whether none failed. */
export async function restoreEach<R>(rows: readonly R[], step: (row: R) => Promise<Answer<unknown>>): Promise<boolean> {
  const errors: ToolError[] = [];
  for (const row of rows) {
    const answer = await step(row);
    if (!answer.ok) errors.push(answer.error);
  }
  const [first] = errors;
  if (first === undefined) return true;
  const part = rows.length === 1 ? '' : ` ${errors.length} of ${counted(rows.length, 'step')} failed.`;
  notify({
    text: `Undo did not restore everything.${part}`,
    detail: [first.error, first.hint].filter((text) => text !== undefined).join(' '),
    isError: true,
  });
  return false;
}
