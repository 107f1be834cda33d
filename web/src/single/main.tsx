/** The page that `limbic-memory export --html` writes: a memory and what shows it, in one file. */
import '../styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from '../app/app.tsx';
import { startTheme } from '../app/theme.ts';
import { readMemory } from './memory.ts';
import { SnapshotSource } from './snapshot-source.ts';

startTheme();
const [page, stored] = ['page', 'memory'].map((id) => document.getElementById(id));
if (page == null || stored == null) throw new Error('the page has lost its memory or the place to show it');
const source = new SnapshotSource(readMemory(stored.textContent));
createRoot(page).render(
  <StrictMode>
    <App opened={Promise.resolve({ source })} />
  </StrictMode>,
);
