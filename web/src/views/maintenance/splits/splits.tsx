import { Split } from 'lucide-react';
import { useRoute } from '../../../app/use-route.ts';
import { Empty } from '../../../components/empty.tsx';
import { Problem } from '../../../components/problem.tsx';
import { useCanEdit } from '../../../source/source-context.tsx';
import { useTool } from '../../../source/use-tool.ts';
import layout from '../layout.module.css';
import { EntityPicker } from '../entity-picker.tsx';
import { parseMaintenanceUrl } from '../maintenance-url-state.ts';
import { useShownEntity } from '../use-shown-entity.ts';
import { Proposal } from './proposal.tsx';

/** Entities that are too large, and proposed splits. */
export function Splits() {
  const canEdit = useCanEdit();
  const { route } = useRoute();
  const { entity } = parseMaintenanceUrl(route.params);
  const { data, error, isLoading, reload } = useTool('find_split_candidates', {});
  const candidates = data?.candidates ?? [];
  const shown = useShownEntity(candidates[0]?.entity_name);
  const chosen = entity ?? shown;
  const entries = candidates.map(({ entity_name, observation_count, threshold }) => ({
    name: entity_name,
    detail: `${observation_count} observations, large from ${threshold + 1}`,
  }));
  return (
    <div className={layout.layout}>
      <div className={layout.side}>
        {error !== undefined && <Problem problem={error} onRetry={reload} />}
        <EntityPicker
          label="Entities that need a split"
          entries={data === undefined && isLoading ? undefined : entries}
          chosen={chosen}
          otherTitle={canEdit ? 'Split another entity' : 'Inspect another entity'}
        />
      </div>
      <div className={layout.work}>
        {chosen !== undefined && <Proposal key={chosen} name={chosen} />}
        {chosen === undefined && data !== undefined && (
          <Empty icon={Split} title="No split candidates">
            <p>Entities with many observations on several topics are listed here, each with a proposed split.</p>
          </Empty>
        )}
      </div>
    </div>
  );
}
