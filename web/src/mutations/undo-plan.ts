/** An observation to create again. */
export interface UndoStep {
  readonly id: number;
  readonly content: string;
  readonly kind: string;
  /** The former id of the observation that it supersedes. */
  readonly supersedes?: number;
}

/** The steps that recreate current observations and their history, oldest first. */
export function undoPlan(
  observations: readonly (UndoStep & { readonly superseded_at?: string })[],
  texts: readonly string[],
): UndoStep[] {
  const byId = new Map(observations.map((row) => [row.id, row]));
  const wanted = new Set(texts);
  const steps = new Map<number, UndoStep>();
  for (const row of observations) {
    if (row.superseded_at !== undefined || !wanted.has(row.content)) continue;
    let step: UndoStep | undefined = row;
    while (step !== undefined && !steps.has(step.id)) {
      const { id, content, kind, supersedes }: UndoStep = step;
      steps.set(id, { id, content, kind, supersedes });
      step = supersedes === undefined ? undefined : byId.get(supersedes);
    }
  }
  return [...steps.values()].sort((a, b) => a.id - b.id);
}

/**
 * Steps that one call can take: one kind, nothing superseded. In the same order, so that ids come in the same order.
 */
export function batchesOf<S extends Pick<UndoStep, 'kind' | 'supersedes'>>(steps: readonly S[]): S[][] {
  const runs: S[][] = [];
  for (const step of steps) {
    const [first] = runs.at(-1) ?? [];
    if (
      first !== undefined &&
      first.kind === step.kind &&
      first.supersedes === undefined &&
      step.supersedes === undefined
    )
      runs.at(-1)?.push(step);
    else runs.push([step]);
  }
  return runs;
}
