import { createStore } from './store.ts';

/** Changes whenever more of the shown project's code is indexed, which causes no change event. */
export const codeVersion = createStore('');
