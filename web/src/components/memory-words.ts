/** Values of enum fields of memories and links, in display order. */
import type { Input } from '../source/tools.ts';

type Update = Input<'memory_update'>;

export const CATEGORIES = [
  'fact',
  'preference',
  'decision',
  'convention',
] as const satisfies readonly Update['category'][];
export const MEMORY_TYPES = ['episodic', 'semantic', 'procedural'] as const satisfies readonly Update['memory_type'][];
export const TIERS = ['l0', 'l1', 'l2', 'l3', 'l4'] as const satisfies readonly Update['tier'][];
/** Link types with a meaning for recall and maintenance; others are allowed. */
export const LINK_TYPES = ['supports', 'contradicts', 'refines', 'supersedes'] as const;
