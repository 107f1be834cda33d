import { useState } from 'react';

/**
 * The entity that is shown while the user has selected none: the first of the list when the view was opened. It stays
 * when other clients reorder the list, so that no editor is replaced under the pointer.
 */
export function useFirst(name: string | undefined): string | undefined {
  const [kept, setKept] = useState(name);
  if (kept === undefined && name !== undefined) setKept(name);
  return kept ?? name;
}
