import { useCallback, useEffect, useRef } from 'react';
import { notify } from '../app/toasts.tsx';
import { writeToClipboard } from './clipboard.ts';

/** Shows a text that was typed and could not be saved, with a button that copies it. */
export function notifyUnsaved(text: string): void {
  notify({
    text: 'Your text was not saved: its field is gone.',
    detail: text,
    isError: true,
    action: { label: 'Copy', run: () => void writeToClipboard(text) },
  });
}

/** Returns whether the component has been removed, for what ends later. */
export function useIsGone(): () => boolean {
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  return useCallback(() => isGone.current, []);
}

/**
 * Reports the text of a field that is removed before it was saved. `undefined` if there is nothing to lose.
 *
 * @returns a function to call before the user removes the field on purpose.
 */
export function useUnsaved(text: string | undefined): () => void {
  const latest = useRef(text);
  useEffect(() => {
    latest.current = text;
  });
  useEffect(
    () => () => {
      if (latest.current !== undefined && latest.current.trim() !== '') notifyUnsaved(latest.current);
    },
    [],
  );
  return useCallback(() => {
    latest.current = undefined;
  }, []);
}
