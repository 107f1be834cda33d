import { useMemo, useRef } from 'react';

/** Whether the last action in an element was by keyboard: `props` are for the element. */
export function useByKeys(): {
  readonly isByKeys: () => boolean;
  readonly props: { readonly onKeyDownCapture: () => void; readonly onPointerDownCapture: () => void };
} {
  const isByKeys = useRef(false);
  return useMemo(() => {
    const set = (value: boolean) => (): void => {
      isByKeys.current = value;
    };
    return {
      isByKeys: () => isByKeys.current,
      props: { onKeyDownCapture: set(true), onPointerDownCapture: set(false) },
    };
  }, []);
}
