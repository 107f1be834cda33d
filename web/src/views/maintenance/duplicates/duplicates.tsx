import { Copy } from 'lucide-react';
import { useState } from 'react';
import { useRoute } from '../../../app/use-route.ts';
import { Button } from '../../../components/button.tsx';
import { Empty } from '../../../components/empty.tsx';
import { counted } from '../../../components/format.ts';
import { Problem } from '../../../components/problem.tsx';
import type { ObservationRow } from '../../../source/explorer-tools.ts';
import { useTool } from '../../../source/use-tool.ts';
import layout from '../layout.module.css';
import { EntityPicker } from '../entity-picker.tsx';
import { parseMaintenanceUrl } from '../maintenance-url-state.ts';
import { useShownEntity } from '../use-shown-entity.ts';
import { GroupCard } from './group-card.tsx';
import { groupsOf } from './groups.ts';

const MAX_FLAGGED = 1000;

/** Near-duplicate observations of an entity: the duplicates are deleted, or one text is reworded. */
export function Duplicates() {
  const { route } = useRoute();
  const { entity } = parseMaintenanceUrl(route.params);
  const { data, error, isLoading, reload } = useTool('explore_records', {
    kind: 'observations',
    status: 'flagged',
    sort: 'entity',
    limit: MAX_FLAGGED,
  });
  const isWaiting = (useTool('explore_stats', {}).data?.queue.waiting ?? 0) > 0;
  const flagged = countByEntity((data?.rows ?? []) as ObservationRow[]);
  const shown = useShownEntity(flagged[0]?.name);
  const chosen = entity ?? shown;
  return (
    <div className={layout.layout}>
      <div className={layout.side}>
        {error !== undefined && <Problem problem={error} onRetry={reload} />}
        <EntityPicker
          label="Entities with flagged observations"
          entries={
            data === undefined && isLoading
              ? undefined
              : flagged.map(({ name, count }) => ({ name, detail: `${counted(count, 'observation')} flagged` }))
          }
          chosen={chosen}
          otherTitle="Inspect another entity"
        />
      </div>
      <div className={layout.work}>
        {chosen !== undefined && <Groups key={chosen} name={chosen} />}
        {chosen === undefined && data !== undefined && (
          <Empty icon={Copy} title={isWaiting ? 'Comparison is not finished' : 'No near-duplicates'}>
            <p>
              {isWaiting ? 'Texts are compared after they are embedded. ' : ''}Near-duplicate observations of an entity
              are listed here.
            </p>
          </Empty>
        )}
      </div>
    </div>
  );
}

function Groups({ name }: { readonly name: string }) {
  const { go, adjust } = useRoute();
  const [passed, setPassed] = useState<ReadonlySet<string>>(new Set());
  const { data, error, reload } = useTool('find_duplicate_observations', { entity_name: name });
  const groups = data === undefined ? [] : groupsOf(data).filter(({ key }) => !passed.has(key));
  return (
    <>
      <div className={layout.head}>
        <h2>{name}</h2>
        <span className={layout.note} role="status">
          {data !== undefined &&
            `${counted(groups.length, 'group')} in ${counted(data.total_observations, 'observation')}`}
          {data?.mode === 'lexical' && ', compared by keywords: vectors are missing'}
        </span>
        <span className={layout.space} />
        <Button variant="quiet" onPress={() => go({ selection: { kind: 'entity', id: name } })}>
          Show entity
        </Button>
      </div>
      {error !== undefined && <Problem problem={error} onRetry={reload} />}
      {groups.map((group) => (
        <GroupCard
          key={group.key}
          entity={name}
          group={group}
          // Keep this entity selected even if it leaves the list.
          onApply={() => adjust({ params: { entity: name } })}
          onPass={() => setPassed((before) => new Set([...before, group.key]))}
        />
      ))}
      {data !== undefined && groups.length === 0 && (
        <Empty icon={Copy} title={passed.size > 0 ? 'All reviewed' : 'No near-duplicates here'}>
          <p>
            {passed.size > 0
              ? 'Groups that you left unchanged are not listed again.'
              : 'Near-duplicate observations of this entity would be listed here.'}
          </p>
        </Empty>
      )}
      {data?.pairs_omitted !== undefined && (
        <p className={layout.head}>{counted(data.pairs_omitted, 'more pair')} when these are done.</p>
      )}
    </>
  );
}

function countByEntity(rows: readonly ObservationRow[]): { name: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { entity } of rows) counts.set(entity, (counts.get(entity) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || a.name.localeCompare(b.name));
}
