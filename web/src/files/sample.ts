/** The sample memory, which is part of the page. */
import sampleUrl from 'limbic-packed/sample.bin?url';
import { notify } from '../app/toasts.tsx';
import { confirm } from '../components/confirm.tsx';
import { decompressed } from '../components/unpack.ts';
import { readText, writeText } from '../components/web-storage.ts';
import type { Source } from '../source/source.ts';
import { createStore } from '../source/store.ts';
import { importSilently, isEmpty, switchState } from './transfer.ts';

const NAME = 'sample.limbic.jsonl';
const LOADED_KEY = 'limbic-sample-loaded';

/** Whether the sample is being loaded. */
export const isLoadingSample = createStore(false);

/** Adds the sample to the memory. Adding it twice changes nothing. */
export async function loadSample(source: Source): Promise<boolean> {
  isLoadingSample.set(true);
  try {
    const response = await fetch(new URL(sampleUrl, document.baseURI));
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    const lines = await decompressed(response, 'application/jsonl').blob();
    return await importSilently(source, new File([lines], NAME), 'the sample memory');
  } catch (error) {
    notify({
      text: 'The sample memory could not be loaded.',
      detail: error instanceof Error ? error.message : String(error),
      isError: true,
    });
    return false;
  } finally {
    isLoadingSample.set(false);
  }
}

/** Adds the sample, after a confirmation if the memory is not empty. */
export async function confirmLoadSample(source: Source): Promise<void> {
  const question = {
    title: 'Add the sample memory?',
    text: 'About 300 entities and their memories are added to this memory. You can undo this until the page is closed.',
    action: 'Add',
  };
  if (!(await isEmpty(source)) && !(await confirm(question))) return;
  if (await loadSample(source))
    notify({ text: 'Added the sample memory', action: { label: 'Undo', run: () => void switchState(source, 'undo') } });
}

/** Loads the sample into an empty memory, once: it does not reappear after it is deleted. */
export async function loadSampleOnce(source: Source): Promise<boolean> {
  if (!(await isEmpty(source))) return false;
  // Each tab has its own memory, which is empty in the next page; and there may be no locks.
  if (source.status.get().storage !== 'browser') return loadSample(source);
  return navigator.locks.request('limbic:sample', async () => {
    if (readText('localStorage', LOADED_KEY) !== null || !(await isEmpty(source))) return false;
    const isLoaded = await loadSample(source);
    if (isLoaded) writeText('localStorage', LOADED_KEY, new Date().toISOString());
    return isLoaded;
  });
}
