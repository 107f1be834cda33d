import { createStore } from './store.ts';

/** Changes whenever more of the shown project's code is indexed, which causes no change event; empty if not known. */
export const codeVersion = createStore('');
