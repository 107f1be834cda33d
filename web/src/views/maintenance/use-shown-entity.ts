import { useState } from 'react';
import { useTool } from '../../source/use-tool.ts';

/**
 * The entity that is shown while the user has selected none: the first of the list when the view was opened. It stays
 * when other clients reorder the list, so that no editor is replaced under the pointer, until it no longer exists.
 */
export function useShownEntity(first: string | undefined): string | undefined {
  const [kept, setKept] = useState(first);
  const { error } = useTool('explore_entity', kept === undefined ? undefined : { name: kept });
  const isGone = error?.code === 'entity_not_found';
  if (first !== undefined && first !== kept && (kept === undefined || isGone)) setKept(first);
  if (!isGone) return kept ?? first;
  // The list may still have it.
  return first === kept ? undefined : first;
}
