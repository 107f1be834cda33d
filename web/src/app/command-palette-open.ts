import { createStore } from '../source/store.ts';

/** Whether the finder is open. */
export const commandPaletteOpen = createStore(false);
