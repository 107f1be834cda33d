import { loadPart, PartNotLoaded } from '../components/load-part.ts';
import { notify } from './toasts.tsx';

/** Loads a part of the page that an action needs. Shows a toast and returns `undefined` if it cannot be loaded. */
export async function loadOrNotify<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await loadPart(load);
  } catch (error) {
    notifyNotLoaded(error);
    return undefined;
  }
}

/** Shows a toast about a part of the page that could not be loaded, or about another error of the page. */
export function notifyNotLoaded(error: unknown): void {
  if (!(error instanceof PartNotLoaded)) {
    notify({ text: String(error), detail: 'This is an error in the page. Please report it.', isError: true });
    return;
  }
  const { error: text, hint } = error.problem;
  notify({ text, detail: hint, isError: true, action: { label: 'Reload', run: () => location.reload() } });
}
