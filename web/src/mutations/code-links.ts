/** Links of memories to symbols of code. */
import type { CodeLink } from '../components/code-links.tsx';
import type { Source } from '../source/source.ts';
import { callTool } from './mutations.ts';

/**
 * Links a memory to its symbols as they are now: those that were given, where they are, and those that its text names.
 * Symbols that are gone or not indexed are left out. Returns whether that succeeded.
 */
export async function linkToPresentCode(source: Source, id: string, links: readonly CodeLink[]): Promise<boolean> {
  const present = links.filter(({ state, in_text: inText }) => !inText && state !== 'gone' && state !== 'unknown');
  const symbols = present.map(({ symbol_id: then, now }) => now ?? then);
  return (await callTool(source, 'memory_update', { id, symbols })) !== undefined;
}
