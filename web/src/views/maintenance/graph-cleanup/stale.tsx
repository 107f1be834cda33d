import { Archive, Hourglass, Trash2 } from 'lucide-react';
import { useRoute } from '../../../app/use-route.ts';
import { deleteEntities } from '../../../mutations/bulk.ts';
import { confirmMany } from '../../../mutations/confirm-many.ts';
import { ARCHIVED, setStatus } from '../../../mutations/status.ts';
import { Button } from '../../../components/button.tsx';
import { Choice } from '../../../components/choice.tsx';
import { Empty } from '../../../components/empty.tsx';
import { counted } from '../../../components/format.ts';
import { Problem } from '../../../components/problem.tsx';
import { useCanEdit, useSource } from '../../../source/source-context.tsx';
import type { Source } from '../../../source/source.ts';
import { useTool } from '../../../source/use-tool.ts';
import { parseMaintenanceUrl } from '../maintenance-url-state.ts';
import { EntityTable } from './entity-table.tsx';
import styles from './graph-cleanup.module.css';

const SPANS = [30, 90, 180, 365];

/** Unused entities, to archive or delete. */
export function Stale() {
  const source = useSource();
  const canEdit = useCanEdit();
  const { route, adjust } = useRoute();
  const { staleDays } = parseMaintenanceUrl(route.params);
  const { data, error, reload } = useTool('consolidation_report', { stale_days: staleDays });
  const rows = (data?.stale_entities ?? []).map(
    ({ entity_name, entity_type, observation_count, last_accessed_days_ago, access_count }) => ({
      name: entity_name,
      entityType: entity_type,
      facts: observation_count,
      note:
        last_accessed_days_ago === undefined
          ? 'never'
          : `${counted(last_accessed_days_ago, 'day')} ago, ${counted(access_count, 'time')} in all`,
    }),
  );
  const total = data?.summary.stale_entities_count ?? 0;
  return (
    <div className={styles.panel}>
      <div className={styles.head}>
        <p className={styles.note}>
          At most two accesses, none in the last {counted(staleDays, 'day')}.
          {total > rows.length && ` The first ${rows.length} of ${total}.`}
        </p>
        <Choice
          label="Not accessed for"
          options={SPANS.map((days) => ({ id: String(days), title: counted(days, 'day') }))}
          chosen={String(staleDays)}
          onChoose={(days) => adjust({ params: { stale: days } })}
        />
      </div>
      {error !== undefined && <Problem problem={error} onRetry={reload} />}
      {data !== undefined && rows.length === 0 && (
        <Empty icon={Hourglass} title="No stale entities">
          <p>Entities that no search has found for a long time are listed here.</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <EntityTable
          label="Stale entities"
          rows={rows}
          noteTitle="Last accessed"
          actions={
            !canEdit
              ? undefined
              : (names, onDone) => (
                  <>
                    <Button
                      icon={Archive}
                      isDisabled={names.length === 0}
                      onPress={() => void setStatus(source, names, ARCHIVED).then((done) => done && onDone())}
                    >
                      Archive
                    </Button>
                    <Button
                      variant="danger"
                      icon={Trash2}
                      isDisabled={names.length === 0}
                      onPress={() => void confirmDeletion(source, names).then((done) => done && onDone())}
                    >
                      Delete
                    </Button>
                  </>
                )
          }
        />
      )}
    </div>
  );
}

/** Asks before many entities are deleted, as the table does. Returns whether they were deleted. */
async function confirmDeletion(source: Source, names: readonly string[]): Promise<boolean> {
  const what = counted(names.length, 'entity', 'entities');
  return (
    (await confirmMany(source, { action: 'Delete', what, count: names.length, isDanger: true })) &&
    deleteEntities(source, names)
  );
}
