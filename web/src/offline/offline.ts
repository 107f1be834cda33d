/** Registers the service worker and offers page updates. */
import { notify } from '../app/toasts.tsx';

const SCRIPT = './service-worker.js';
const UPDATE_CHECK_MILLIS = 60 * 60 * 1000;

/** Maximum wait for the service worker; after that, files are fetched one by one. */
const MAX_CACHE_WAIT_MILLIS = 10_000;

let isStarted = false;
let cached: Promise<unknown> = Promise.resolve();

/**
 * Resolves when the service worker serves the files of the page, or after a time-out. Files that a first visit loads
 * earlier are fetched twice: by the page, and in the compressed file of the service worker.
 */
export async function whenCached(): Promise<void> {
  await cached;
}

/**
 * Registers the service worker for use without a network. The page of a server is not cached: its port may belong to
 * another program later. An earlier registration there is removed.
 */
export function startOffline(kind: 'browser' | 'server'): void {
  if (isStarted || !import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  isStarted = true;
  const work = kind === 'server' ? forget() : register();
  if (kind === 'browser' && navigator.serviceWorker.controller === null) {
    const late = new Promise((resolve) => setTimeout(resolve, MAX_CACHE_WAIT_MILLIS));
    const changed = new Promise((resolve) =>
      navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
    );
    // If the registration fails, there is no controller change.
    cached = Promise.race([late, changed, work.then(() => changed).catch(() => undefined)]);
  }
  work.catch(() => {
    // Without a service worker the page needs a network.
  });
}

async function forget(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration('./');
  await registration?.unregister();
}

async function register(): Promise<void> {
  const container = navigator.serviceWorker;
  let isControlled = container.controller !== null;
  container.addEventListener('controllerchange', () => {
    // The first service worker has the same build; a later one has another.
    if (isControlled) location.reload();
    isControlled = true;
  });
  const registration = await container.register(SCRIPT, { scope: './', updateViaCache: 'none' });
  if (registration.waiting !== null) offer(registration.waiting);
  registration.addEventListener('updatefound', () => {
    const next = registration.installing;
    next?.addEventListener('statechange', () => {
      if (next.state === 'installed' && registration.active !== null) offer(next);
    });
  });
  if (!isControlled) (await container.ready).active?.postMessage(`claim ${entryOf(document)}`);
  const checkForUpdate = (): void => void registration.update().catch(() => {});
  setInterval(checkForUpdate, UPDATE_CHECK_MILLIS);
  addEventListener('online', checkForUpdate);
}

let offered: ServiceWorker | undefined;

function offer(next: ServiceWorker): void {
  if (offered === next) return;
  offered = next;
  notify({
    text: 'A new version of this page is available.',
    detail: 'Updating reloads all its tabs. The memory does not change.',
    stays: true,
    action: { label: 'Update', run: () => next.postMessage('activate') },
  });
}

/** The script that this page started with, relative to its folder. */
function entryOf({ baseURI, scripts }: Document): string {
  const folder = new URL('.', baseURI).href;
  const entry = [...scripts].find(({ type, src }) => type === 'module' && src.startsWith(folder));
  return entry?.src.slice(folder.length) ?? '';
}
