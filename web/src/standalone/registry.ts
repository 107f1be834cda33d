/** The views and record kinds of the standalone page. */
import { Box, ChartColumnStacked, Lightbulb, Network, Search, Table2 } from 'lucide-react';
import { FIRST_VIEW } from '../app/route.ts';
import type { KindEntry, ViewEntry } from '../registry.ts';

export const VIEWS: readonly ViewEntry[] = [
  {
    id: FIRST_VIEW,
    title: 'Graph',
    icon: Network,
    load: async () => (await import('../views/graph/graph-view.tsx')).GraphView,
  },
  {
    id: 'search',
    title: 'Search',
    icon: Search,
    load: async () => (await import('../views/search/search-view.tsx')).SearchView,
  },
  {
    id: 'table',
    title: 'Table',
    icon: Table2,
    load: async () => (await import('../views/table/table-view.tsx')).TableView,
  },
  {
    id: 'timeline',
    title: 'Timeline',
    icon: ChartColumnStacked,
    load: async () => (await import('../views/timeline/timeline-view.tsx')).TimelineView,
  },
];

export const KINDS: readonly KindEntry[] = [
  {
    kind: 'entity',
    title: 'Entity',
    icon: Box,
    load: async () => (await import('../inspector/entity/entity-inspector.tsx')).EntityInspector,
  },
  {
    kind: 'memory',
    title: 'Memory',
    icon: Lightbulb,
    load: async () => (await import('../inspector/memory/memory-inspector.tsx')).MemoryInspector,
  },
];
