import { useEffect, useState } from 'react';
import { counted, day } from '../../components/format.ts';
import { useSource, useStore } from '../../source/source-context.tsx';
import { type Quality, signed } from './stats-model.ts';
import styles from './stats-view.module.css';

const TOOL = 'search_quality_report';
const DAYS = 90;

/** Search quality, if the tool is offered. */
export function QualityCard() {
  const quality = useQuality();
  if (quality === undefined) return null;
  const limbic = quality.by_treatment.find(({ treatment }) => treatment === 'limbic');
  return (
    <section className={styles.card}>
      <h2>Search quality</h2>
      {quality.by_treatment.every(({ judged }) => judged === 0) ? (
        <p className={styles.note}>
          {counted(quality.events, 'search', 'searches')} in {DAYS} days. None can be judged yet: a search is judged
          when one of its results is opened or extended soon after.
        </p>
      ) : (
        <>
          <table className={styles.quality}>
            <thead>
              <tr>
                <th scope="col">Order</th>
                <th scope="col">Searches</th>
                <th scope="col">Judged</th>
                <th scope="col">NDCG@5</th>
              </tr>
            </thead>
            <tbody>
              {quality.by_treatment.map(({ treatment, n, judged, ndcg_at_5 }) => (
                <tr key={treatment}>
                  <th scope="row">{treatment === 'limbic' ? 'With usage and age' : 'Relevance only'}</th>
                  <td>{n.toLocaleString('en')}</td>
                  <td>{judged.toLocaleString('en')}</td>
                  <td>{ndcg_at_5?.toFixed(3) ?? '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {limbic?.lift_at_5 !== undefined && (
            <p className={styles.note}>Usage and age change NDCG@5 by {signed(limbic.lift_at_5)}.</p>
          )}
        </>
      )}
      <p className={styles.note}>
        Weights: usage {quality.parameters.beta}, co-occurrence {quality.parameters.gamma}
        {quality.tuned_at === undefined ? ', never tuned' : `, tuned ${day(quality.tuned_at)}`}.
      </p>
    </section>
  );
}

function useQuality(): Quality | undefined {
  const source = useSource();
  const revision = useStore(source.revision);
  const [quality, setQuality] = useState<Quality>();
  useEffect(() => {
    let isCurrent = true;
    const load = async (): Promise<void> => {
      const tools = await source.tools();
      if (!tools.some(({ name }) => name === TOOL)) return;
      const answer = await source.callByName(TOOL, { days: DAYS });
      if (isCurrent && answer.ok) setQuality(answer.value as Quality);
    };
    load().catch(() => {
      // If the list of tools is not available, other cards show the error.
    });
    return () => {
      isCurrent = false;
    };
  }, [source, revision]);
  return quality;
}
