/** The page that `limbic-memory export --html` writes: a memory, the core that reads it, and the views, in one file. */
import '../styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from '../app/app.tsx';
import { startTheme } from '../app/theme.ts';
import { exposeForTests } from '../source/source.ts';
import { FileSource } from './file-source.ts';

startTheme();
const page = document.getElementById('page');
if (page === null) throw new Error('the page has no place for the explorer');
const source = new FileSource();
exposeForTests(source);
createRoot(page).render(
  <StrictMode>
    <App opened={Promise.resolve({ source })} />
  </StrictMode>,
);
