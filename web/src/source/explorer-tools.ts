/** Names for rows that several tools of the toolset `explorer` return. Their fields are in `pkg/types.ts`. */
import type { Tools } from 'limbic-pkg/types.ts';

type Entity = Tools['explore_entity']['output'];

export type EntityRow = Entity['entity'];
export type ObservationRow = Omit<Entity['observations'][number], 'vector'>;
export type RelationRow = Entity['relations'][number];
export type ReflectionRow = Entity['reflections'][number];
export type MemoryRow = Omit<Tools['explore_graph']['output']['memories'][number], 'distance'>;
export type LinkRow = Tools['explore_memory']['output']['links'][number];
