/** Derives form inputs from a tool's input schema. */
import type { JsonSchema, Tool } from '../../source/tools.ts';

/** The kind of input for a value. */
export type Entry = 'text' | 'number' | 'choice' | 'flag' | 'list' | 'record' | 'map' | 'either' | 'json';

export function entryOf(schema: JsonSchema): Entry {
  if (schema.enum !== undefined) return 'choice';
  if (schema.anyOf !== undefined)
    return variantsOf(schema).length > 1 ? 'either' : entryOf(variantsOf(schema)[0] ?? {});
  switch (typeOf(schema)) {
    case 'string':
      return 'text';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'flag';
    case 'array':
      return schema.items === undefined ? 'json' : 'list';
    case 'object':
      if (schema.properties !== undefined || schema['additionalProperties'] === false) return 'record';
      return mapValue(schema) === undefined ? 'json' : 'map';
    default:
      return 'json';
  }
}

/** The variants of a schema, without null. */
export function variantsOf(schema: JsonSchema): readonly JsonSchema[] {
  return (schema.anyOf ?? []).filter((variant) => typeOf(variant) !== 'null');
}

/** The index of the variant that a value matches. */
export function variantIndex(schema: JsonSchema, value: unknown): number {
  const found = variantsOf(schema).findIndex((variant) => fits(variant, value));
  return Math.max(0, found);
}

/** The schema of a map's values, if its keys are free. */
export function mapValue(schema: JsonSchema): JsonSchema | undefined {
  const value = schema['additionalProperties'];
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : undefined;
}

export function typeOf(schema: JsonSchema): string | undefined {
  const { type } = schema;
  return typeof type === 'string' || type === undefined ? type : type.find((name) => name !== 'null');
}

/** Range and default as text: `1 to 100, 10 by default`. */
export function limitsOf(schema: JsonSchema): string {
  const { minimum, maximum, minItems, maxItems, maxLength } = schema;
  const parts: string[] = [];
  if (minimum !== undefined && maximum !== undefined) parts.push(`${amount(minimum)} to ${amount(maximum)}`);
  else if (minimum !== undefined) parts.push(`${amount(minimum)} or more`);
  else if (maximum !== undefined) parts.push(`at most ${amount(maximum)}`);
  if (maxItems !== undefined)
    parts.push(`${minItems === undefined ? 'up to' : `${minItems} to`} ${amount(maxItems)} items`);
  if (maxLength !== undefined) parts.push(`up to ${amount(maxLength)} characters`);
  const usual = schema.default;
  if (usual !== undefined && (typeof usual !== 'object' || usual === null)) parts.push(`${String(usual)} by default`);
  return parts.join(', ');
}

/** The minimal value that the schema allows: required members only, empty. */
export function emptyValue(schema: JsonSchema): unknown {
  switch (entryOf(schema)) {
    case 'text':
      return '';
    case 'number':
      return schema.default ?? schema.minimum ?? 0;
    case 'choice':
      return schema.default ?? schema.enum?.[0];
    case 'flag':
      return schema.default ?? false;
    case 'list':
      return Array.from({ length: Math.min(schema.minItems ?? 0, 1) }, () => emptyValue(schema.items ?? {}));
    case 'record': {
      const required = schema.required ?? [];
      return Object.fromEntries(required.map((name) => [name, emptyValue(schema.properties?.[name] ?? {})]));
    }
    case 'either':
      return emptyValue(variantsOf(schema)[0] ?? {});
    case 'map':
      return {};
    case 'json':
      return null;
  }
}

/** The initial arguments of the form: the tool's example, or the minimal value. */
export function firstArguments(tool: Tool): Readonly<Record<string, unknown>> {
  const example = tool._limbic?.example ?? tool._meta?.['limbic/example'] ?? tool.inputSchema.examples?.[0];
  const value = example ?? emptyValue(tool.inputSchema);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function fits(schema: JsonSchema, value: unknown): boolean {
  if (Array.isArray(value)) return typeOf(schema) === 'array';
  if (value === null) return false;
  const type = typeOf(schema) === 'integer' ? 'number' : typeOf(schema);
  return typeof value === type;
}

function amount(count: number): string {
  return count.toLocaleString('en');
}
