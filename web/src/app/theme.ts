import { readText, writeText } from '../components/web-storage.ts';
import { createStore } from '../source/store.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'limbic-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

/** The selected theme. */
export const theme = createStore<Theme>(stored());
/** The effective theme. */
export const shownTheme = createStore<'light' | 'dark'>('light');

/** Applies the selected theme and follows the system theme. */
export function startTheme(): void {
  apply();
  dark.addEventListener('change', apply);
  theme.subscribe(() => {
    writeText('localStorage', KEY, theme.get());
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
  const value = readText('localStorage', KEY);
  return value === 'light' || value === 'dark' ? value : 'system';
}
