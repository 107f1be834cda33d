import { notify } from '../app/toasts.tsx';
import type { Source } from '../source/source.ts';
import { callTool } from './mutations.ts';

/** Ends the trust in an origin, or in a folder that uses the name of a project, with undo. Returns whether it ended. */
export async function distrust(source: Source, label: string, title: string): Promise<boolean> {
  if ((await callTool(source, 'review_inbox', { distrust: [label] })) === undefined) return false;
  notify({
    text: `No longer trusted: ${title}`,
    detail: 'What it wrote and nobody accepted waits again.',
    action: { label: 'Undo', run: () => void callTool(source, 'review_inbox', { trust: [label] }) },
  });
  return true;
}
