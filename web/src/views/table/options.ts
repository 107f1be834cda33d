import type { ChoiceOption } from '../../components/choice.tsx';

/** Words with how often they occur, as options. */
export function named(counts: readonly { readonly name: string; readonly count: number }[]): ChoiceOption[] {
  return counts.map(({ name, count }) => ({ id: name, title: name, count }));
}

/** Words of a tool, as options. */
export function words(...ids: readonly string[]): ChoiceOption[] {
  return ids.map((id) => ({ id, title: id }));
}
