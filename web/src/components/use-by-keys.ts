import { useMemo, useRef } from 'react';

/** Whether an action in an element is by keyboard, which is while a key is down: `props` are for the element. */
export function useByKeys(): {
  readonly isByKeys: () => boolean;
  readonly props: Readonly<Record<'onKeyDownCapture' | 'onKeyUpCapture' | 'onPointerDownCapture', () => void>>;
} {
  const isByKeys = useRef(false);
  return useMemo(() => {
    const set = (value: boolean) => (): void => {
      isByKeys.current = value;
    };
    return {
      isByKeys: () => isByKeys.current,
      props: { onKeyDownCapture: set(true), onKeyUpCapture: set(false), onPointerDownCapture: set(false) },
    };
  }, []);
}
