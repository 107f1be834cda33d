import { useRoute } from '../../app/use-route.ts';
import { useTool } from '../../source/use-tool.ts';
import type { Output } from '../../source/tools.ts';
import { BarList } from './bar-list.tsx';
import { memoryStatuses } from './stats-model.ts';
import styles from './stats-view.module.css';

const ALL = { kind: 'memories', limit: 1 } as const;

/** Counts of memories, each linked to the memories that it counts. Renders nothing without memories. */
export function MemoryCards({ stats }: { readonly stats: Output<'explore_stats'> }) {
  const { hrefOf } = useRoute();
  const { memories, memories_ended: past } = stats.counts;
  const asked = memories + past === 0 ? undefined : ALL;
  const expired = useTool('explore_records', asked && { ...asked, status: 'expired' }).data?.total;
  const contradicted = useTool('explore_records', asked && { ...asked, status: 'contradicted' }).data?.total;
  if (asked === undefined) return null;
  const inTable = (param: string) => (value: string) =>
    hrefOf({ view: 'table', params: { kind: 'memories', [param]: value } });
  return (
    <>
      <div className={styles.card}>
        <BarList
          title="Memories by status"
          counts={memoryStatuses(memories, past, expired, contradicted)}
          hrefOf={inTable('status')}
        />
        <BarList title="Memories by category" counts={stats.categories} hrefOf={inTable('is.category')} />
      </div>
      <div className={styles.card}>
        <BarList title="Memories by tier" counts={stats.tiers} hrefOf={inTable('is.tier')} />
        <BarList title="Memories by type" counts={stats.memory_types} hrefOf={inTable('is.memory_type')} />
      </div>
      <div className={styles.card}>
        <BarList
          title="Memories by domain"
          counts={stats.domains}
          hrefOf={(domain) => hrefOf({ view: 'table', params: { kind: 'memories' }, domain })}
        />
        {stats.users.length > 0 && (
          <BarList title="Memories by user" counts={stats.users} hrefOf={inTable('is.user_id')} />
        )}
      </div>
    </>
  );
}
