import { X } from 'lucide-react';
import { Suspense } from 'react';
import { KINDS } from '../registry.ts';
import { IconButton } from '../components/button.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import styles from './inspector.module.css';
import { lazyComponent } from './lazy-component.tsx';
import { useRoute } from './use-route.ts';

/** The panel at the side of every view: the selected record, whatever its kind. */
export function Inspector() {
  const { route, go } = useRoute();
  const { selection } = route;
  if (selection === undefined) return null;
  const entry = KINDS.find(({ kind }) => kind === selection.kind);
  const Content = entry === undefined ? undefined : lazyComponent(entry.load);
  return (
    <aside
      className={styles.inspector}
      aria-label="Inspector"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) go({ selection: null });
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
