/** A proposed split of an entity, as edited by the user. */
import type { Input, Output } from '../../../source/tools.ts';

type Proposal = NonNullable<Output<'propose_entity_split'>['proposal']>;
type Approved = Input<'execute_entity_split'>['approved_splits'];

export interface Fact {
  readonly id: number;
  readonly content: string;
}

/** An observation as `explore_entity` returns it. */
export interface Observation extends Fact {
  readonly superseded_at?: string;
  readonly supersedes?: number;
}

/** A part that becomes an entity. */
export interface DraftPart {
  /** Stays the same while the part is renamed. */
  readonly key: string;
  readonly name: string;
  readonly entityType: string;
  readonly facts: readonly Fact[];
}

export interface Draft {
  readonly entity: string;
  readonly entityType: string;
  /** Observations that stay with the entity. */
  readonly stays: readonly Fact[];
  readonly parts: readonly DraftPart[];
}

/** The key of the target for observations that stay with the entity. */
export const STAYS = 'stays';

/** Creates a draft from a proposal and the entity's observations; each observation is in exactly one part. */
export function draftOf(
  entity: string,
  entityType: string,
  facts: readonly Fact[],
  proposal: Proposal | null | undefined,
): Draft {
  const left = new Map(facts.map((fact) => [fact.content, fact]));
  const parts = (proposal?.suggested_splits ?? []).map(({ name, entity_type, observations }, index): DraftPart => {
    const taken = observations.flatMap((content) => {
      const fact = left.get(content);
      left.delete(content);
      return fact === undefined ? [] : [fact];
    });
    return { key: `part ${index}`, name, entityType: entity_type, facts: taken };
  });
  return {
    entity,
    entityType,
    stays: facts.filter(({ content }) => left.has(content)),
    parts: parts.filter((part) => part.facts.length > 0),
  };
}

/**
 * The draft with the observations that the entity has now: a text that superseded another one takes its place, deleted
 * ones are left out, and new ones stay with the entity.
 */
export function rebased(draft: Draft, observations: readonly Observation[]): Draft {
  const successor = new Map<number, Observation>();
  for (const observation of observations)
    if (observation.supersedes !== undefined) successor.set(observation.supersedes, observation);
  const current = new Map<number, Fact>();
  for (const { id, content, superseded_at } of observations)
    if (superseded_at === undefined) current.set(id, { id, content });
  const present = (facts: readonly Fact[]): readonly Fact[] =>
    facts.flatMap(({ id }) => {
      let now = id;
      for (let next = successor.get(now); next !== undefined && !current.has(now); next = successor.get(now))
        now = next.id;
      const fact = current.get(now);
      current.delete(now);
      return fact === undefined ? [] : [fact];
    });
  const parts = draft.parts.map((part) => ({ ...part, facts: present(part.facts) }));
  const stays = [...present(draft.stays), ...current.values()].sort((a, b) => a.id - b.id);
  return { ...draft, stays, parts };
}

/** Moves observations to a part, or back to the entity. */
export function moved(draft: Draft, ids: ReadonlySet<number>, to: string): Draft {
  if (to !== STAYS && !draft.parts.some(({ key }) => key === to)) return draft;
  const all = [...draft.stays, ...draft.parts.flatMap(({ facts }) => facts)].filter(({ id }) => ids.has(id));
  const placed = (facts: readonly Fact[], isTarget: boolean): readonly Fact[] => {
    const others = facts.filter(({ id }) => !ids.has(id));
    return isTarget ? [...others, ...all].sort((a, b) => a.id - b.id) : others;
  };
  return {
    ...draft,
    stays: placed(draft.stays, to === STAYS),
    parts: draft.parts.map((part) => ({ ...part, facts: placed(part.facts, part.key === to) })),
  };
}

export function changed(draft: Draft, key: string, change: Partial<Pick<DraftPart, 'name' | 'entityType'>>): Draft {
  return { ...draft, parts: draft.parts.map((part) => (part.key === key ? { ...part, ...change } : part)) };
}

/** Removes a part; its observations stay with the entity. */
export function dropped(draft: Draft, key: string): Draft {
  const part = draft.parts.find((other) => other.key === key);
  if (part === undefined) return draft;
  const without = moved(draft, new Set(part.facts.map(({ id }) => id)), STAYS);
  return { ...without, parts: without.parts.filter((other) => other.key !== key) };
}

/** Adds an empty part. */
export function extended(draft: Draft): Draft {
  const number = 1 + Math.max(-1, ...draft.parts.map(({ key }) => Number(key.slice(5))));
  return {
    ...draft,
    parts: [
      ...draft.parts,
      { key: `part ${number}`, name: `${draft.entity} - `, entityType: draft.entityType, facts: [] },
    ],
  };
}

/** Reasons why the split cannot be applied, by part. The tool checks whether a name is in use. */
export function problems({ entity, parts }: Draft): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { key, name, entityType, facts } of parts) {
    const own = name.trim();
    const isTwice = parts.some((other) => other.key !== key && other.name.trim() === own);
    if (own === '' || own.endsWith(' -')) found.set(key, 'Enter a name.');
    else if (own === entity) found.set(key, 'This is the name of the entity itself.');
    else if (isTwice) found.set(key, 'Another part has this name.');
    else if (entityType.trim() === '') found.set(key, 'Enter a type.');
    else if (facts.length === 0) found.set(key, 'Move observations here, or remove the part.');
  }
  return found;
}

export function approved({ parts }: Draft): Approved {
  return parts.map(({ name, entityType, facts }) => ({
    name: name.trim(),
    entity_type: entityType.trim(),
    observations: facts.map(({ content }) => content),
  }));
}
