/** The page of the tool `show_memory`, which hosts of MCP Apps show in the conversation: `ui://limbic/memory.html`. */
import '../styles/base.css';
import { StrictMode, useMemo } from 'react';
import { createRoot } from 'react-dom/client';
import { ColorAssignment } from '../app/color-assignment.tsx';
import { ErrorBoundary } from '../app/error-boundary.tsx';
import { Inspector } from '../app/inspector.tsx';
import { startTheme } from '../app/theme.ts';
import { Toasts } from '../app/toasts.tsx';
import { ConfirmDialog } from '../components/confirm.tsx';
import { SourceContext, useStore } from '../source/source-context.tsx';
import { AskedView } from './asked-view.tsx';
import { Host } from './host.ts';
import { HostSource } from './host-source.ts';
import styles from './mcp-app.module.css';
import { submitFormsByEvent } from './submit-forms.ts';
import { followLinks } from './use-route.ts';

startTheme();
followLinks();
submitFormsByEvent();
const page = document.getElementById('page');
if (page === null) throw new Error('the page has no place for the memory');
const host = new Host();
createRoot(page).render(
  <StrictMode>
    <MemoryApp />
  </StrictMode>,
);
void host.connect();

function MemoryApp() {
  const call = useStore(host.call);
  const source = useMemo(() => (call.state === 'answered' ? new HostSource(host, call.tools) : undefined), [call]);
  if (call.state === 'failed')
    return (
      <p className={styles.message} role="alert">
        {call.problem}
      </p>
    );
  if (call.state === 'waiting' || source === undefined) return <p className={styles.message}>Recalling…</p>;
  const canInspect = source.offers('explore_memory');
  return (
    <SourceContext value={source}>
      <div className={styles.frame}>
        <main className={styles.main}>
          <ErrorBoundary>
            <AskedView host={host} question={call.question} />
          </ErrorBoundary>
        </main>
        {canInspect && <Inspector />}
      </div>
      {canInspect && <ColorAssignment />}
      <ConfirmDialog />
      <Toasts />
    </SourceContext>
  );
}
