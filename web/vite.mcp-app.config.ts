import { defineConfig } from 'vite';
import { noticed } from './build/notices.ts';
import { onePage } from './build/one-page.ts';
import { smallApps } from './build/small-apps.ts';

/** Modules of the page in a host that replace the explorer's. */
const own = {
  'registry.ts': 'mcp-app/record-kinds.ts',
  'app/use-route.ts': 'mcp-app/use-route.ts',
  'views/graph/layout-thread.ts': 'standalone/layout-thread.ts',
};

/** The page of the tool `show_memory`, for hosts of MCP Apps. */
export default defineConfig(
  onePage({ name: 'mcp-app.html', main: 'mcp-app/memory-app.tsx', own, plugins: [smallApps(), noticed()] }),
);
