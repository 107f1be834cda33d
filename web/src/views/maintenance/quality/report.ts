/** The answer of `search_quality_report`, which not every core offers. */

export interface Arm {
  readonly treatment: string;
  /** Searches. */
  readonly n: number;
  /** Searches with a result that was used later. */
  readonly judged?: number;
  readonly ndcg_at_5?: number;
  readonly lift_at_5?: number;
}

export interface QualityReport {
  readonly events: number;
  readonly by_treatment: readonly Arm[];
  readonly parameters: Readonly<Record<string, number>>;
  readonly tuned_at?: string;
}

export const QUALITY_TOOL = 'search_quality_report';

/** The comparison of the two orders, as a sentence. */
export function verdict({ by_treatment }: QualityReport): string {
  const [limbic, baseline] = ['limbic', 'baseline'].map(
    (name) => by_treatment.find(({ treatment }) => treatment === name)?.ndcg_at_5,
  );
  if (limbic === undefined) return 'No result of a search has been used, so there is nothing to measure yet.';
  if (baseline === undefined)
    return 'Searches by relevance only, one in ten, have not been judged yet, so there is no baseline to compare with.';
  const points = Math.round((limbic - baseline) * 100);
  if (points === 0) return 'Both orders place used results equally high.';
  return points > 0
    ? `Ranking with usage and age places used results higher, by ${points} of 100 points.`
    : `Ranking by relevance only places used results higher, by ${-points} of 100 points.`;
}
