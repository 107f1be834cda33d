/**
 * The list of views and record kinds.
 *
 * A view is a folder of `views/`; a kind is a type of record that the inspector shows. Each is loaded at its first use.
 */
import {
  Box,
  ChartColumnStacked,
  ChartPie,
  FileCode,
  HeartPulse,
  Lightbulb,
  type LucideIcon,
  Network,
  Parentheses,
  Search,
  Settings,
  SquareTerminal,
  Table2,
  Wrench,
} from 'lucide-react';
import type { ComponentType } from 'react';
import { FIRST_VIEW } from './app/route.ts';
import type { ToolName } from './source/tools.ts';

export interface ViewEntry {
  /** Its id in the address. */
  readonly id: string;
  readonly title: string;
  readonly icon: LucideIcon;
  /** A tool that the view needs: without it, the navigation omits the view, and its address shows how to enable it. */
  readonly needs?: ToolName;
  readonly load: () => Promise<ComponentType>;
}

export interface KindEntry {
  /** Its id in the parameter `sel=kind:id`. */
  readonly kind: string;
  readonly title: string;
  readonly icon: LucideIcon;
  readonly load: () => Promise<ComponentType<{ readonly id: string }>>;
}

/** The views, in the order of the navigation; the first one is the default. */
export const VIEWS: readonly ViewEntry[] = [
  {
    id: FIRST_VIEW,
    title: 'Graph',
    icon: Network,
    load: async () => (await import('./views/graph/graph-view.tsx')).GraphView,
  },
  {
    id: 'search',
    title: 'Search',
    icon: Search,
    load: async () => (await import('./views/search/search-view.tsx')).SearchView,
  },
  {
    id: 'table',
    title: 'Table',
    icon: Table2,
    load: async () => (await import('./views/table/table-view.tsx')).TableView,
  },
  {
    id: 'timeline',
    title: 'Timeline',
    icon: ChartColumnStacked,
    load: async () => (await import('./views/timeline/timeline-view.tsx')).TimelineView,
  },
  {
    id: 'maintenance',
    title: 'Maintenance',
    icon: HeartPulse,
    load: async () => (await import('./views/maintenance/maintenance-view.tsx')).MaintenanceView,
  },
  {
    id: 'tools',
    title: 'Tools',
    icon: Wrench,
    load: async () => (await import('./views/tools/tools-view.tsx')).ToolsView,
  },
  {
    id: 'sql',
    title: 'SQL',
    icon: SquareTerminal,
    load: async () => (await import('./views/sql/sql-view.tsx')).SqlView,
  },
  {
    id: 'stats',
    title: 'Statistics',
    icon: ChartPie,
    load: async () => (await import('./views/stats/stats-view.tsx')).StatsView,
  },
  {
    id: 'code',
    title: 'Code',
    icon: FileCode,
    needs: 'explore_code',
    load: async () => (await import('./views/code/code-view.tsx')).CodeView,
  },
  {
    id: 'settings',
    title: 'Settings',
    icon: Settings,
    load: async () => (await import('./views/settings/settings-view.tsx')).SettingsView,
  },
];

export const KINDS: readonly KindEntry[] = [
  {
    kind: 'entity',
    title: 'Entity',
    icon: Box,
    load: async () => (await import('./inspector/entity/entity-inspector.tsx')).EntityInspector,
  },
  {
    kind: 'memory',
    title: 'Memory',
    icon: Lightbulb,
    load: async () => (await import('./inspector/memory/memory-inspector.tsx')).MemoryInspector,
  },
  {
    kind: 'symbol',
    title: 'Symbol',
    icon: Parentheses,
    load: async () => (await import('./inspector/symbol/symbol-inspector.tsx')).SymbolInspector,
  },
];
