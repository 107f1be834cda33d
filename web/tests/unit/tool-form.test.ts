import { describe, expect, it } from 'vitest';
import type { JsonSchema, Tool } from '../../src/source/tools.ts';
import { formatPath, placeOf, put } from '../../src/views/tools/paths.ts';
import { entryOf, firstArguments, emptyValue, limitsOf, variantIndex } from '../../src/views/tools/schema.ts';
import { parseArguments } from '../../src/views/tools/tool-form.tsx';
import tools from 'limbic-pkg/tools.json';

const text = { type: 'string', minLength: 1, maxLength: 500 };
const fact = {
  anyOf: [
    text,
    {
      type: 'object',
      properties: { entityName: text, contents: { type: 'array', items: text } },
      required: ['entityName', 'contents'],
    },
  ],
};
const schema = {
  type: 'object',
  properties: {
    name: text,
    observations: { type: 'array', items: fact, minItems: 1, maxItems: 1000 },
    limit: { type: 'integer', default: 10, minimum: 1, maximum: 100 },
    filter: { type: 'object', additionalProperties: { type: 'string' } },
  },
  required: ['observations'],
};

describe('a form from a schema', () => {
  it('has a typed field for every argument of every tool, except for free objects', () => {
    const asJson: string[] = [];
    const look = (place: string, part: JsonSchema): void => {
      if (entryOf(part) === 'json') asJson.push(place);
      for (const [name, value] of Object.entries(part.properties ?? {})) look(`${place}.${name}`, value);
      if (part.items !== undefined) look(`${place}[]`, part.items);
      for (const variant of part.anyOf ?? []) look(`${place}|`, variant);
    };
    for (const tool of tools as unknown as Tool[]) look(tool.name, tool.inputSchema);
    expect(asJson).toEqual([
      'memory_store.metadata',
      'memory_store.memories[]',
      'memory_update.metadata',
      'more_tools.arguments',
    ]);
  });

  it('determines the kind of each field', () => {
    expect([entryOf(text), entryOf(fact), entryOf(schema), entryOf(schema.properties.filter)]).toEqual([
      'text',
      'either',
      'record',
      'map',
    ]);
    expect(entryOf({ type: ['integer', 'null'] })).toBe('number');
    expect(entryOf({ anyOf: [text, { type: 'null' }] })).toBe('text');
    expect(entryOf({ enum: ['a'], type: 'string' })).toBe('choice');
    expect(entryOf({ type: 'object' })).toBe('json');
  });

  it('starts with the required arguments', () => {
    expect(emptyValue(schema)).toEqual({ observations: [''] });
  });

  it('starts with the example if there is one', () => {
    const tool = { name: 'x', inputSchema: schema };
    expect(
      firstArguments({ ...tool, _limbic: { toolset: 'graph', access: 'read', example: { name: 'Atlas' } } }),
    ).toEqual({ name: 'Atlas' });
    expect(firstArguments({ ...tool, _meta: { 'limbic/example': { limit: 1 } } })).toEqual({ limit: 1 });
    expect(firstArguments({ ...tool, _meta: { 'limbic/example': 'no object' } })).toEqual({});
  });

  it('determines the variant of a value', () => {
    expect([variantIndex(fact, 'a'), variantIndex(fact, { entityName: 'a' }), variantIndex(fact, undefined)]).toEqual([
      0, 1, 0,
    ]);
  });

  it('describes ranges and defaults', () => {
    expect(limitsOf(schema.properties.limit)).toBe('1 to 100, 10 by default');
    expect(limitsOf(schema.properties.observations)).toBe('1 to 1,000 items');
    expect(limitsOf({ type: 'boolean', default: false })).toBe('false by default');
  });
});

describe('a path in the arguments', () => {
  it('is formatted as in errors', () => {
    expect(formatPath(['approved_splits', 0, 'entity_type'])).toBe('approved_splits[0].entity_type');
  });

  it('sets a value without changing others', () => {
    const before = { a: [{ b: 1 }, { b: 2 }], c: 3 };
    expect(put(before, ['a', 1, 'b'], 9)).toEqual({ a: [{ b: 1 }, { b: 9 }], c: 3 });
    expect(before.a[1]).toEqual({ b: 2 });
  });

  it('removes an undefined member, and creates missing records', () => {
    expect(put({ a: 1, b: 2 }, ['a'], undefined)).toStrictEqual({ b: 2 });
    expect(put({ a: ['x', 'y'] }, ['a', 0], undefined)).toEqual({ a: ['y'] });
    expect(put({}, ['a', 'b'], 1)).toEqual({ a: { b: 1 } });
  });
});

describe('an error', () => {
  it.each([
    ['limit must be between 1 and 100, but got 0', 'limit'],
    ['observations[0].entityName is missing', 'observations[0].entityName'],
    ['observations[0] must be a string, but got a number 1', 'observations[0]'],
    ['name is missing: the entity that the observations are about', 'name'],
    ['filter.x must be a string', 'filter.x'],
  ])('is shown at its field: %s', (error, place) => {
    expect(placeOf(error, schema)).toBe(place);
  });

  it.each([
    'entitties is not known here',
    'Either name and observations are needed',
    'names differ',
    'limit[0] is odd',
    '',
  ])('is shown separately otherwise: %s', (error) => {
    expect(placeOf(error, schema)).toBeUndefined();
  });
});

describe('arguments by hand', () => {
  it('must be an object', () => {
    expect(parseArguments('{"a": 1}').args).toEqual({ a: 1 });
    for (const wrong of ['[1]', 'null', '3', '{', '']) expect(parseArguments(wrong).args).toBeUndefined();
  });
});
