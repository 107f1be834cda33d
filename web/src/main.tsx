import './styles/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { startTheme } from './app/theme.ts';
import { openSource } from './source/open-source.ts';

startTheme();
const page = document.getElementById('page');
if (page === null) throw new Error('the page has no place for the explorer');
const opened =
  import.meta.env.VITE_FAKE === undefined ? openSource() : (await import('../tests/fake/open-fake.ts')).openFake();
createRoot(page).render(
  <StrictMode>
    <App opened={opened} />
  </StrictMode>,
);
