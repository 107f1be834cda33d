/** The record kinds of the MCP App; its page is one view. */
import { Box, Lightbulb } from 'lucide-react';
import { EntityInspector } from '../inspector/entity/entity-inspector.tsx';
import { MemoryInspector } from '../inspector/memory/memory-inspector.tsx';
import type { KindEntry, ViewEntry } from '../registry.ts';

export const VIEWS: readonly ViewEntry[] = [];

export const KINDS: readonly KindEntry[] = [
  { kind: 'entity', title: 'Entity', icon: Box, load: async () => EntityInspector },
  { kind: 'memory', title: 'Memory', icon: Lightbulb, load: async () => MemoryInspector },
];
