/** A text without case, accents and other marks. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/**
 * Rows in the order in which their names match a text: those that are it, begin with it, have a word that begins with
 * it, contain it, and the others. Rows that match alike keep their order.
 */
export function rankedByName<R extends { readonly name: string }>(rows: readonly R[], text: string): R[] {
  const wanted = folded(text.trim());
  if (wanted === '') return [...rows];
  const rankOf = ({ name }: R): number => {
    const given = folded(name);
    const at = given.indexOf(wanted);
    if (at === 0) return given === wanted ? 0 : 1;
    if (at < 0) return 4;
    return given.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(wanted)) ? 2 : 3;
  };
  return rows
    .map((row) => ({ row, rank: rankOf(row) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ row }) => row);
}
