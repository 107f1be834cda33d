import type { Input, Output } from '../source/tools.ts';

type Entity = Output<'explore_entity'>;

/**
 * The calls that recreate a deleted entity if the source cannot import records (see `undo-snapshot.ts`): its
 * observations with kinds and history, its relations and its reflections.
 *
 * Ids, dates and accesses are lost: no tool can set them. Ids of new observations are known only after their calls, so
 * a step that supersedes an observation names its text, see `replaces`.
 */
export interface RestorePlan {
  readonly entity: Input<'create_entities'>;
  readonly observations: readonly { readonly content: string; readonly kind: string; readonly replaces?: string }[];
  readonly relations: readonly (Input<'create_relations'>['relations'][number] & { readonly ended: boolean })[];
  readonly reflections: readonly { readonly content: string; readonly author: string; readonly mood?: string }[];
}

export function restorePlan({ entity, observations, relations, reflections }: Entity): RestorePlan {
  const contentOf = new Map(observations.map(({ id, content }) => [id, content]));
  return {
    entity: { entities: [{ name: entity.name, entityType: entity.entityType, status: entity.status }] },
    observations: [...observations]
      .sort((a, b) => a.id - b.id)
      .map(({ content, kind, supersedes }) => ({
        content,
        kind,
        replaces: supersedes === undefined ? undefined : contentOf.get(supersedes),
      })),
    relations: relations.map(({ from, to, relationType, context, weight, active }) => ({
      from,
      to,
      relationType,
      context,
      weight,
      ended: !active,
    })),
    reflections: reflections
      .filter(({ target_type }) => target_type === 'entity')
      .map(({ content, author, mood }) => ({ content, author, mood })),
  };
}
