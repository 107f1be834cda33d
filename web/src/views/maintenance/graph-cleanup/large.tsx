import { Scaling, Split, Copy } from 'lucide-react';
import { useRoute } from '../../../app/use-route.ts';
import { Button } from '../../../components/button.tsx';
import { Empty } from '../../../components/empty.tsx';
import { Problem } from '../../../components/problem.tsx';
import { useCanEdit } from '../../../source/source-context.tsx';
import { useTool } from '../../../source/use-tool.ts';
import { parseMaintenanceUrl } from '../maintenance-url-state.ts';
import { EntityTable } from './entity-table.tsx';
import styles from './graph-cleanup.module.css';

/** Entities with far more observations than their type's threshold, whatever their topics. */
export function Large() {
  const canEdit = useCanEdit();
  const { route, go } = useRoute();
  const { staleDays } = parseMaintenanceUrl(route.params);
  const { data, error, reload } = useTool('consolidation_report', { stale_days: staleDays });
  const scores = new Map(data?.split_candidates.map(({ entity_name, split_score }) => [entity_name, split_score]));
  const rows = (data?.large_entities ?? []).map(({ entity_name, entity_type, observation_count }) => ({
    name: entity_name,
    entityType: entity_type,
    facts: observation_count,
    note: scores.has(entity_name) ? 'a split is proposed' : 'about one topic',
  }));
  return (
    <div className={styles.panel}>
      <div className={styles.head}>
        <p className={styles.note}>
          Entities with more than 1.5 times the recommended number of observations for their type.
        </p>
      </div>
      {error !== undefined && <Problem problem={error} onRetry={reload} />}
      {data !== undefined && rows.length === 0 && (
        <Empty icon={Scaling} title="No large entities">
          <p>Entities with too many observations are listed here, whether or not they can be split by topic.</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <EntityTable
          label="Large entities"
          rows={rows}
          noteTitle="Topics"
          actions={(names) => (
            <>
              <Button
                icon={Split}
                isDisabled={names.length !== 1}
                onPress={() => go({ params: { part: 'splits', entity: names[0] } })}
              >
                {canEdit ? 'Split…' : 'Find a split'}
              </Button>
              <Button
                icon={Copy}
                isDisabled={names.length !== 1}
                onPress={() => go({ params: { part: 'duplicates', entity: names[0] } })}
              >
                Find duplicates
              </Button>
            </>
          )}
        />
      )}
    </div>
  );
}
