import { createStore } from '../source/store.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'limbic-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

/** What the person chose. */
export const theme = createStore<Theme>(stored());
/** What is shown. */
export const shownTheme = createStore<'light' | 'dark'>('light');

/** Follows the choice and the system from here on. */
export function startTheme(): void {
  apply();
  dark.addEventListener('change', apply);
  theme.subscribe(() => {
    try {
      localStorage.setItem(KEY, theme.get());
    } catch {
      // The choice then holds for this page only.
    }
    apply();
  });
}

function apply(): void {
  const choice = theme.get();
  const shown = choice === 'system' ? (dark.matches ? 'dark' : 'light') : choice;
  document.documentElement.dataset['theme'] = shown;
  shownTheme.set(shown);
}

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';
  }
}
