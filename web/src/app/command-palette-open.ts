import { createStore } from '../source/store.ts';

/** Whether the command palette is open. */
export const commandPaletteOpen = createStore(false);
