import { Suspense, use, useEffect } from 'react';
import type { Opened } from '../source/open-source.ts';
import { SourceContext } from '../source/source-context.tsx';
import { VIEWS } from '../registry.ts';
import styles from './app.module.css';
import { GlobalOverlays } from './global-overlays.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { CommandPalette } from './command-palette.tsx';
import { keepFocus } from './keep-focus.ts';
import { Inspector } from './inspector.tsx';
import { lazyComponent } from './lazy-component.tsx';
import { Navigation } from './navigation.tsx';
import { Toasts } from './toasts.tsx';
import { Unauthorized } from './unauthorized.tsx';
import { StatusBar } from './status-bar.tsx';
import { useRoute } from './use-route.ts';
import { ColorAssignment } from './color-assignment.tsx';

interface AppProps {
  readonly opened: Promise<Opened>;
}

/** The application frame. It renders immediately; parts that need the source suspend. */
export function App({ opened }: AppProps) {
  return (
    <ErrorBoundary>
      <Suspense fallback={<Frame />}>
        <Page opened={opened} />
      </Suspense>
    </ErrorBoundary>
  );
}

function Page({ opened }: AppProps) {
  const found = use(opened);
  if ('unauthorized' in found) return <Unauthorized reason={found.unauthorized} />;
  return (
    <SourceContext value={found.source}>
      <Frame>
        <CurrentView />
      </Frame>
    </SourceContext>
  );
}

function Frame({ children }: { readonly children?: React.ReactNode }) {
  const isReady = children !== undefined;
  useEffect(keepFocus, []);
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <Navigation />
      <div className={styles.work}>
        <main id="main" className={styles.main} tabIndex={-1}>
          {children}
        </main>
        {isReady && <Inspector />}
      </div>
      {isReady ? <StatusBar /> : <div className={styles.statusPlaceholder} />}
      {isReady && <CommandPalette />}
      {isReady && <GlobalOverlays />}
      {isReady && <ColorAssignment />}
      <Toasts />
    </div>
  );
}

/** The URL fragment is the route, so the link moves focus in code. */
function skipToMain(event: React.MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function CurrentView() {
  const { route } = useRoute();
  const entry = VIEWS.find(({ id }) => id === route.view);
  useEffect(() => {
    document.title = entry === undefined ? 'Limbic' : `${entry.title} · Limbic`;
  }, [entry]);
  if (entry === undefined) return <p className={styles.unknown}>Unknown view “{route.view}”.</p>;
  const View = lazyComponent(entry.load);
  return (
    <ErrorBoundary key={entry.id}>
      <Suspense>
        <View />
      </Suspense>
    </ErrorBoundary>
  );
}
