import { Gauge } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useRoute } from '../../../app/use-route.ts';
import { Choice } from '../../../components/choice.tsx';
import { Empty } from '../../../components/empty.tsx';
import { counted, fullTime } from '../../../components/format.ts';
import { Problem } from '../../../components/problem.tsx';
import { useSource, useStore } from '../../../source/source-context.tsx';
import type { ToolError } from '../../../source/tools.ts';
import upkeep from '../graph-cleanup/graph-cleanup.module.css';
import { parseMaintenanceUrl } from '../maintenance-url-state.ts';
import styles from './quality.module.css';
import { type Arm, QUALITY_TOOL, type QualityReport, verdict } from './report.ts';

type State = { readonly report?: QualityReport; readonly error?: ToolError; readonly isMissing?: boolean };

const SPANS = [7, 30, 90, 365];
const TITLES: Readonly<Record<string, string>> = { limbic: 'With usage and age', baseline: 'Relevance only' };

/** Search quality: how high searches ranked the results that were used later. */
export function Quality() {
  const { route, adjust } = useRoute();
  const { qualityDays } = parseMaintenanceUrl(route.params);
  const [{ report, error, isMissing }, reload] = useReport(qualityDays);
  return (
    <div className={upkeep.panel}>
      <div className={upkeep.head}>
        <p className={upkeep.note}>
          Results count as relevant if they were opened, extended or linked after the search.
        </p>
        <Choice
          label="Last"
          options={SPANS.map((days) => ({ id: String(days), title: counted(days, 'day') }))}
          chosen={String(qualityDays)}
          onChoose={(days) => adjust({ params: { days } })}
        />
      </div>
      {error !== undefined && <Problem problem={error} onRetry={reload} />}
      {isMissing === true && (
        <Empty icon={Gauge} title="Search quality is not available">
          <p>
            This core does not offer the tool <code>{QUALITY_TOOL}</code>, which compares the two orders of results.
          </p>
        </Empty>
      )}
      {report?.events === 0 && (
        <Empty icon={Gauge} title="No searches in this period">
          <p>When agents search and use what they find, its rank in the results is reported here.</p>
        </Empty>
      )}
      {report !== undefined && report.events > 0 && <Report report={report} />}
    </div>
  );
}

/** The names of the weights, as in the statistics. */
const WEIGHTS: Readonly<Record<string, string>> = { beta: 'usage', gamma: 'co-occurrence' };

function Report({ report }: { readonly report: QualityReport }) {
  const { events, by_treatment, parameters, tuned_at } = report;
  return (
    <div className={styles.report}>
      <h2>{verdict(report)}</h2>
      <p className={upkeep.note}>{counted(events, 'search', 'searches')} in this time.</p>
      {by_treatment.map((arm) => (
        <ArmBar key={arm.treatment} arm={arm} />
      ))}
      <dl className={styles.facts}>
        {Object.entries(parameters).map(([name, value]) => (
          <div key={name}>
            <dt>{WEIGHTS[name] ?? name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>Tuned</dt>
          <dd>{tuned_at === undefined ? 'never' : fullTime(tuned_at)}</dd>
        </div>
      </dl>
    </div>
  );
}

function ArmBar({ arm: { treatment, n, judged, ndcg_at_5, lift_at_5 } }: { readonly arm: Arm }) {
  const title = TITLES[treatment] ?? treatment;
  return (
    <div className={styles.arm}>
      <span className={styles.title}>{title}</span>
      <meter
        className={styles.meter}
        min={0}
        max={1}
        value={ndcg_at_5 ?? 0}
        aria-label={`${title}: NDCG of the first five results`}
      />
      <span className={styles.value}>{ndcg_at_5 === undefined ? '–' : ndcg_at_5.toFixed(2)}</span>
      <span className={styles.detail}>
        {counted(n, 'search', 'searches')}
        {judged !== undefined && `, ${judged} judged`}
        {lift_at_5 !== undefined && `, lift ${lift_at_5 > 0 ? '+' : ''}${lift_at_5.toFixed(2)}`}
      </span>
    </div>
  );
}

/** Calls the tool by name, since the source may not offer it. */
function useReport(days: number): [State, () => void] {
  const source = useSource();
  const revision = useStore(source.revision);
  const [asked, setAsked] = useState(0);
  const [state, setState] = useState<State>({});
  useEffect(() => {
    let isCurrent = true;
    const ask = async (): Promise<State> => {
      const tools = await source.tools().catch(() => []);
      if (tools.length > 0 && !tools.some(({ name }) => name === QUALITY_TOOL)) return { isMissing: true };
      const answer = await source.callByName(QUALITY_TOOL, { days });
      return answer.ok ? { report: answer.value as QualityReport } : { error: answer.error };
    };
    void ask().then((next) => isCurrent && setState(next));
    return () => {
      isCurrent = false;
    };
  }, [source, days, revision, asked]);
  return [state, () => setAsked((count) => count + 1)];
}
