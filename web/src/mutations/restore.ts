import type { Input, Output } from '../source/tools.ts';

type Entity = Output<'explore_entity'>;

/**
 * The calls that bring a deleted entity back where the source takes no records (see `undo-snapshot.ts`): its texts with kinds and
 * history, its relations, its reflections.
 *
 * Ids, dates and the record of use do not come back: no tool can set them. Ids of observations are known only when the
 * calls are made, so a step that replaces one names the text, see `replaces`.
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
