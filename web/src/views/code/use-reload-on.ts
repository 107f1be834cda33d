import { useEffect, useRef } from 'react';

/** Calls `reload` whenever `version` has changed, but not at first. */
export function useReloadOn(version: string, reload: () => void): void {
  const seen = useRef(version);
  useEffect(() => {
    if (seen.current === version) return;
    seen.current = version;
    reload();
  }, [version, reload]);
}
