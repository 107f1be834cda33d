import { useRoute } from '../../app/use-route.ts';
import { Tabs } from '../../components/tabs.tsx';
import { useOffers } from '../../source/use-offers.ts';
import { useTool } from '../../source/use-tool.ts';
import { Contradictions } from './contradictions/contradictions.tsx';
import { ChangedCode } from './changed-code/changed-code.tsx';
import { useContradictions } from './contradictions/use-contradictions.ts';
import { Duplicates } from './duplicates/duplicates.tsx';
import { waitingCount } from './inbox/inbox-model.ts';
import { Inbox } from './inbox/inbox.tsx';
import { MemoryPlan } from './memory-plan/memory-plan.tsx';
import { Quality } from './quality/quality.tsx';
import { Splits } from './splits/splits.tsx';
import { Large } from './graph-cleanup/large.tsx';
import { Stale } from './graph-cleanup/stale.tsx';
import { parseMaintenanceUrl, PARTS, type Part } from './maintenance-url-state.ts';

const PANELS: Readonly<Record<Part, () => React.ReactNode>> = {
  duplicates: Duplicates,
  splits: Splits,
  stale: Stale,
  large: Large,
  contradictions: Contradictions,
  code: ChangedCode,
  inbox: Inbox,
  plan: MemoryPlan,
  quality: Quality,
};

/**
 * Maintenance: duplicates, splits, stale and large entities, contradictions, changed code, the inbox, the memory plan,
 * search quality.
 */
export function MaintenanceView() {
  const { route, go } = useRoute();
  const { part, staleDays } = parseMaintenanceUrl(route.params);
  const { data } = useTool('consolidation_report', { stale_days: staleDays });
  const waiting = useTool('explore_inbox', { limit: 1 }).data;
  const inbox = waiting === undefined ? undefined : waitingCount(waiting);
  const hasCode = useOffers('explore_code_memories') === true;
  const code = useTool('explore_code_memories', hasCode ? { limit: 1 } : undefined).data?.total;
  const decided = useContradictions('contradicts').pairs;
  const possible = useContradictions('possible_contradiction').pairs;
  const contradictions = decided === undefined || possible === undefined ? undefined : decided.length + possible.length;
  const counts: Partial<Record<Part, number>> =
    data === undefined
      ? { contradictions, code, inbox }
      : {
          contradictions,
          code,
          inbox,
          duplicates: data.summary.flagged_observations_count,
          splits: data.summary.split_candidates_count,
          stale: data.summary.stale_entities_count,
          large: data.summary.large_entities_count,
        };
  const Panel = PANELS[part];
  return (
    <>
      <h1 className="visually-hidden">Maintenance</h1>
      <Tabs
        label="Maintenance tasks"
        tabs={PARTS.filter(({ id }) => id !== 'code' || hasCode || part === id).map(({ id, title }) => ({
          id,
          title,
          count: counts[id],
        }))}
        chosen={part}
        onChoose={(id) => go({ params: { part: id, entity: undefined } })}
      >
        <Panel />
      </Tabs>
    </>
  );
}
