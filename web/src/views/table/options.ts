import type { ChoiceOption } from '../../components/choice.tsx';
import { withMeaning } from '../../components/format-values.ts';

/** Options from values with their counts. */
export function named(counts: readonly { readonly name: string; readonly count: number }[]): ChoiceOption[] {
  return counts.map(({ name, count }) => ({ id: name, title: withMeaning(name), count }));
}

/** Options from the values of a tool's argument. */
export function words(...ids: readonly string[]): ChoiceOption[] {
  return ids.map((id) => ({ id, title: id }));
}
