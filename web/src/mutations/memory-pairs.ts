/** Decisions about two memories that may contradict each other. */
import { notify } from '../app/toasts.tsx';
import { memoryTitle } from '../components/memory-title.ts';
import type { MemoryRow } from '../source/explorer-tools.ts';
import type { Source } from '../source/source.ts';
import type { Input } from '../source/tools.ts';
import { callTool } from './mutations.ts';

type Named = Pick<MemoryRow, 'id' | 'content'>;

/** Supersedes a memory with another through a link `supersedes`, with undo. Returns whether that succeeded. */
export async function replaceMemory(source: Source, right: Named, wrong: Named): Promise<boolean> {
  const link: Input<'memory_link'> = { from_id: right.id, to_id: wrong.id, type: 'supersedes' };
  if ((await callTool(source, 'memory_link', link)) === undefined) return false;
  notify({
    text: 'Replaced',
    detail: `Recall excludes “${memoryTitle(wrong.content)}” unless as_of is earlier.`,
    action: { label: 'Undo', run: () => void callTool(source, 'memory_link', { ...link, remove: true }) },
  });
  return true;
}
