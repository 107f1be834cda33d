import { useCallback, useEffect, useRef } from 'react';
import { codeVersion } from '../../source/code-version.ts';
import { useStore } from '../../source/source-context.tsx';

/** Calls `reload` whenever `version` has changed. An empty one is not known; the first known one is no change. */
export function useReloadOn(version: string, reload: () => void): void {
  const seen = useRef(version);
  useEffect(() => {
    if (version === '' || seen.current === version) return;
    const isFirst = seen.current === '';
    seen.current = version;
    if (!isFirst) reload();
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
