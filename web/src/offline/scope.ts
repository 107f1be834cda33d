/** As much as is used of what a service worker sees; the page's own types know nothing of it. */
interface Extended extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchEvent extends Extended {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

interface Told extends Extended {
  readonly data: unknown;
}

export interface Scope {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: Extended) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
  addEventListener(type: 'message', listener: (event: Told) => void): void;
}
