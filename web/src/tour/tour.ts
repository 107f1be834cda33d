/** The state of the tour, and its start and end. */
import { loadOrNotify } from '../app/load-or-notify.ts';
import { notify } from '../app/toasts.tsx';
import { formatRoute } from '../app/route.ts';
import { loadSample } from '../files/sample.ts';
import { confirm } from '../components/confirm.tsx';
import { readText, writeText } from '../components/web-storage.ts';
import type { Source } from '../source/source.ts';
import { createStore } from '../source/store.ts';
import { parseMemory, type TourMemory } from './tour-memory.ts';

const KEY = 'limbic-tour';

/** The current step; `undefined` if the tour is not active. */
export const step = createStore<number | undefined>(undefined);

/** Resumes the tour at the stored step. It explains the sample memory, which must be loaded. */
export async function startTour(source: Source): Promise<void> {
  const part = await loadOrNotify(() => import('./steps.ts'));
  if (part === undefined) return;
  const { STEPS } = part;
  const [name] = STEPS.flatMap(({ entities = [] }) => entities);
  if (name !== undefined && !(await has(source, name)) && !(await bringSample(source))) return;
  goTo(Math.min(remembered().step, STEPS.length - 1));
}

/** Shows a step and stores it. */
export function goTo(index: number): void {
  step.set(index);
  remember({ step: index, isSeen: true });
  void loadOrNotify(() => import('./steps.ts')).then((part) => {
    if (part === undefined) return;
    const shown = part.STEPS[index];
    if (shown !== undefined && step.get() === index) location.hash = formatRoute(part.routeOf(shown));
  });
}

/** Closes the tour: it is resumed here next time, or restarted if it was completed. */
export function leaveTour(isFinished: boolean): void {
  const index = step.get() ?? 0;
  step.set(undefined);
  remember({ step: isFinished ? 0 : index, isSeen: true });
}

/** Offers the tour to users who have not seen it. */
export function offerTour(): void {
  if (remembered().isSeen || step.get() !== undefined) return;
  notify({
    text: 'The sample memory is loaded.',
    detail: 'A short tour shows what you can do with it.',
    stays: true,
    action: { label: 'Take the tour', run: () => goTo(0) },
  });
}

async function has(source: Source, name: string): Promise<boolean> {
  const answer = await source.call('explore_records', { kind: 'entities', filter: { name }, limit: 1 });
  return answer.ok && answer.value.total > 0;
}

async function bringSample(source: Source): Promise<boolean> {
  if (source.importFile === undefined) {
    notify({ text: 'The tour needs the sample memory, which is not in this database.' });
    return false;
  }
  const isAgreed = await confirm({
    title: 'Add the sample memory?',
    text: 'The tour uses a sample memory of about 300 entities. It will be added to this memory.',
    action: 'Add',
  });
  return isAgreed && loadSample(source);
}

function remembered(): TourMemory {
  return parseMemory(readText('localStorage', KEY));
}

function remember(memory: TourMemory): void {
  writeText('localStorage', KEY, JSON.stringify(memory));
}
