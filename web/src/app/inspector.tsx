import { X } from 'lucide-react';
import { Suspense, useEffect, useRef } from 'react';
import { KINDS } from '../registry.ts';
import { IconButton } from '../components/button.tsx';
import { isComposing } from '../components/is-composing.ts';
import { useMedia } from '../components/use-media.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import styles from './inspector.module.css';
import { lazyComponent } from './lazy-component.tsx';
import { useRoute } from './use-route.ts';

/** As in `inspector.module.css`: the panel lies above the view. */
const NARROW = '(max-width: 900px)';

/** The panel at the side of every view: the selected record, whatever its kind. */
export function Inspector() {
  const { route, go } = useRoute();
  const { selection } = route;
  const panel = useRef<HTMLElement>(null);
  const covers = useMedia(NARROW);
  const isOpen = selection !== undefined;
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    const isOpened = isOpen && !wasOpen.current;
    wasOpen.current = isOpen;
    // It covers what the user came from, so that the focus would be on something that cannot be seen.
    if (isOpened && covers) panel.current?.focus();
  }, [isOpen, covers]);
  if (selection === undefined) return null;
  const entry = KINDS.find(({ kind }) => kind === selection.kind);
  const Content = entry === undefined ? undefined : lazyComponent(entry.load);
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      className={styles.inspector}
      aria-label="Inspector"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented && !isComposing(event)) go({ selection: null });
      }}
    >
      <div className={styles.bar}>
        <span>{entry?.title ?? 'Unknown record'}</span>
        <IconButton icon={X} label="Close inspector" onPress={() => go({ selection: null })} />
      </div>
      <div className={styles.content}>
        <ErrorBoundary key={`${selection.kind}:${selection.id}`}>
          <Suspense>{Content === undefined ? null : <Content id={selection.id} />}</Suspense>
        </ErrorBoundary>
      </div>
    </aside>
  );
}
