import { useMemo } from 'react';
import { Problem } from '../../../components/problem.tsx';
import { useTool } from '../../../source/use-tool.ts';
import { draftOf } from './draft.ts';
import { SplitEditor } from './split-editor.tsx';

/** The tool's proposal for an entity, to be edited. It is proposed again when the entity has changed. */
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
  const retry = (): void => {
    whole.reload();
    proposed.reload();
  };
  return (
    <>
      {error !== undefined && <Problem problem={error} onRetry={retry} />}
      {error === undefined && start === undefined && <div aria-busy="true" />}
      {start !== undefined && entity !== undefined && (
        <SplitEditor
          start={start}
          observations={entity.observations}
          isProposed={answer?.proposal != null}
          unseen={entity.omitted?.observations ?? 0}
        />
      )}
    </>
  );
}
