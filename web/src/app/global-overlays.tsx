import { Suspense, useEffect } from 'react';
import { FileDrop } from '../files/file-drop.tsx';
import { ImportDialog } from '../files/import-dialog.tsx';
import { loadSampleOnce } from '../files/sample.ts';
import { startOffline } from '../offline/offline.ts';
import { ConfirmDialog } from '../components/confirm.tsx';
import { isDemo } from '../source/is-demo.ts';
import { useSource, useStore } from '../source/source-context.tsx';
import { offerTour, step } from '../tour/tour.ts';
import { OverlayBoundary } from './error-boundary.tsx';
import { lazyComponent } from './lazy-component.tsx';
import { notify } from './toasts.tsx';

/** A view without calls does not start the core. */
const OFFLINE_LATEST_MILLIS = 5000;
const loadUnlock = async () => (await import('./unlock-dialog.tsx')).UnlockDialog;
const loadTour = async () => (await import('../tour/tour-panel.tsx')).TourPanel;

/** Overlays of every view: dialogs, file drop and import, the tour, page updates. */
export function GlobalOverlays() {
  const source = useSource();
  const tourStep = useStore(step);
  const TourPanel = lazyComponent(loadTour);
  const UnlockDialog = lazyComponent(loadUnlock);
  const { connection, interruption, isLocked } = useStore(source.status);
  const isStarting = connection === 'starting';
  useEffect(() => {
    const { kind } = source;
    if (kind === 'file' || kind === 'host') return undefined;
    // By then, the browser has cached what the page loads first.
    const timer = setTimeout(() => startOffline(kind), isStarting ? OFFLINE_LATEST_MILLIS : 0);
    return () => clearTimeout(timer);
  }, [source, isStarting]);
  useEffect(() => {
    if (interruption !== undefined)
      notify({ text: interruption.text, detail: interruption.detail, isError: interruption.isLoss, stays: true });
  }, [interruption]);
  useEffect(() => {
    if (source.kind !== 'browser' || !isDemo(location.search)) return;
    void loadSampleOnce(source).then((isLoaded) => (isLoaded ? offerTour() : undefined));
  }, [source]);
  return (
    <>
      <FileDrop />
      <ImportDialog />
      <ConfirmDialog />
      <OverlayBoundary>
        <Suspense>{isLocked === true && <UnlockDialog />}</Suspense>
      </OverlayBoundary>
      <OverlayBoundary>
        <Suspense>{tourStep !== undefined && <TourPanel index={tourStep} />}</Suspense>
      </OverlayBoundary>
    </>
  );
}
