import { useEffect, useRef, useState } from 'react';
import { useSource, useStore } from '../../source/source-context.tsx';
import type { ToolError } from '../../source/tools.ts';
import type { Listing } from './tree-model.ts';

const MAX_FILES = 2000;

interface Folders {
  readonly listings: ReadonlyMap<string, Listing>;
  readonly error: ToolError | undefined;
}

/**
 * The listings of the folders of a project. All are listed again when the data or `version` has changed; the previous
 * ones stay until then.
 */
export function useFolders(project: string, folders: readonly string[], version: string): Folders {
  const source = useSource();
  const revision = useStore(source.revision);
  const [known, setKnown] = useState<Folders & { readonly project: string }>({
    project,
    listings: new Map(),
    error: undefined,
  });
  const state = `${project} ${revision} ${version}`;
  const listed = useRef<{ state: string; readonly folders: Set<string> }>({ state: '', folders: new Set() });
  const wanted = JSON.stringify(['', ...folders]);
  useEffect(() => {
    if (listed.current.state !== state) listed.current = { state, folders: new Set() };
    const { folders: done } = listed.current;
    const missing = (JSON.parse(wanted) as string[]).filter((folder) => !done.has(folder));
    for (const folder of missing) {
      done.add(folder);
      void source.call('explore_code', { project_id: project, folder, limit: MAX_FILES }).then((answer) => {
        // A later state reloads the folder.
        if (listed.current.state !== state) return;
        setKnown((before) => {
          const listings = new Map(before.project === project ? before.listings : []);
          if (answer.ok) listings.set(folder, answer.value);
          // A folder that no longer exists is not an error of the tree.
          else if (folder !== '') listings.delete(folder);
          const error = folder === '' ? (answer.ok ? undefined : answer.error) : before.error;
          return { project, listings, error };
        });
      });
    }
  }, [source, project, state, wanted]);
  return known.project === project ? known : { listings: new Map(), error: undefined };
}
