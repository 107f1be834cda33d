/** The Spanish values of MCP Memory v2's format with their meanings in English. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['activo', 'active'],
  ['pausado', 'paused'],
  ['completado', 'completed'],
  ['archivado', 'archived'],
  ['contiene', 'contains'],
  ['parte_de', 'part of'],
  ['Sesion', 'session'],
  ['Proyecto', 'project'],
  ['frustracion', 'frustration'],
  ['satisfaccion', 'satisfaction'],
  ['curiosidad', 'curiosity'],
  ['duda', 'doubt'],
]);

/** The meaning of a Spanish value of the format in parentheses; empty for other values. */
export function meaningOf(value: string): string {
  const meaning = MEANINGS.get(value);
  return meaning === undefined ? '' : ` (${meaning})`;
}

/** A type, status or mood as it is shown: `activo (active)`. */
export function withMeaning(value: string): string {
  return value + meaningOf(value);
}
