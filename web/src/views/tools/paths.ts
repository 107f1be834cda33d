/** Paths in arguments: `['approved_splits', 0, 'name']`, in errors `approved_splits[0].name`. */
import type { JsonSchema } from '../../source/tools.ts';
import { mapValue, variantsOf } from './schema.ts';

export type Path = readonly (string | number)[];

export function formatPath(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}

/** A copy with another value at a path. `undefined` removes a member. */
export function put(value: unknown, path: Path, next: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return next;
  if (typeof first === 'number') {
    const list: unknown[] = Array.isArray(value) ? [...value] : [];
    const member = put(list[first], rest, next);
    if (member === undefined) list.splice(first, 1);
    else list[first] = member;
    return list;
  }
  const record: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {};
  const member = put(record[first], rest, next);
  if (member === undefined) delete record[first];
  else record[first] = member;
  return record;
}

const PLACE = /^[A-Za-z_]\w*(?:\[\d+\]|\.[A-Za-z_]\w*)*(?=[\s:]|$)/;

/** The first path that an error names, if the form has a field there. */
export function placeOf(error: string, schema: JsonSchema): string | undefined {
  const place = PLACE.exec(error)?.[0];
  if (place === undefined) return undefined;
  const parts = place.split(/[.[\]]+/).filter((part) => part !== '');
  return isThere(schema, parts) ? place : undefined;
}

function isThere(schema: JsonSchema, parts: readonly string[]): boolean {
  const [first, ...rest] = parts;
  if (first === undefined) return true;
  if (schema.anyOf !== undefined) return variantsOf(schema).some((variant) => isThere(variant, parts));
  const isIndex = /^\d+$/.test(first);
  const member = isIndex ? schema.items : (schema.properties?.[first] ?? mapValue(schema));
  return member !== undefined && isThere(member, rest);
}
