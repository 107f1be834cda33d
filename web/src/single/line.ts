/** A line of an export, and what stands in it. */
export type Line = Readonly<Record<string, unknown>>;

export function word(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function maybe(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function number(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

export function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}
