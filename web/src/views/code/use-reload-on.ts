import { useCallback, useEffect, useRef } from 'react';
import { codeVersion } from '../../source/code-version.ts';
import { useStore } from '../../source/source-context.tsx';

/** Calls `reload` whenever `version` has changed, but not at first. */
export function useReloadOn(version: string, reload: () => void): void {
  const seen = useRef(version);
  useEffect(() => {
    if (seen.current === version) return;
    seen.current = version;
    reload();
  }, [version, reload]);
}

/** Calls each `reload` whenever more of the shown project's code is indexed. */
export function useReloadWithCode(...reloads: readonly (() => void)[]): void {
  const latest = useRef(reloads);
  useEffect(() => {
    latest.current = reloads;
  });
  const reload = useCallback(() => latest.current.forEach((one) => one()), []);
  useReloadOn(useStore(codeVersion), reload);
}
