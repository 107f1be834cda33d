import { useMemo } from 'react';
import { Problem } from '../../../components/problem.tsx';
import { useTool } from '../../../source/use-tool.ts';
import { draftOf } from './draft.ts';
import { SplitEditor } from './split-editor.tsx';

/** The tool's proposal for an entity, to be edited. It is replaced when the entity has changed. */
export function Proposal({ name }: { readonly name: string }) {
  const whole = useTool('explore_entity', { name });
  const proposed = useTool('propose_entity_split', { entity_name: name });
  const error = whole.error ?? proposed.error;
  const { data: entity } = whole;
  const { data: answer } = proposed;
  const start = useMemo(() => {
    if (entity === undefined || answer === undefined) return undefined;
    const facts = entity.observations
      .filter(({ superseded_at }) => superseded_at === undefined)
      .map(({ id, content }) => ({ id, content }));
    return draftOf(entity.entity.name, entity.entity.entityType, facts, answer.proposal);
  }, [entity, answer]);
  if (error !== undefined)
    return (
      <Problem
        problem={error}
        onRetry={() => {
          whole.reload();
          proposed.reload();
        }}
      />
    );
  if (start === undefined || answer === undefined) return <div aria-busy="true" />;
  return (
    <SplitEditor
      key={JSON.stringify(start)}
      start={start}
      isProposed={answer.proposal != null}
      unseen={entity?.omitted?.observations ?? 0}
    />
  );
}
