// The sample as tool calls, for an empty memory: there numbers are given from 1 on, so that calls can name what
// earlier ones made. Times are those of the calls.

import { memoryCalls } from './memory-calls.mjs';
import { relationsOf } from './relations.mjs';

const PER_CALL = 200;

/** All calls, `{tool, arguments}` each. */
export function callLines({ entities, reflections, searches, domains, memories }) {
  const relations = relationsOf(entities);
  const calls = [
    ...chunks(entities).map((part) => call('create_entities', { entities: part.map(newEntity) })),
    ...observationCalls(entities),
    ...chunks(relations).map((part) => call('create_relations', { relations: part.map(newRelation) })),
    ...relations.flatMap(({ active }, index) => (active ? [] : [call('end_relation', { relation_id: index + 1 })])),
    ...reflections.map((reflection) => reflectionCall(reflection, entities, relations)),
    ...memoryCalls({ domains, memories }),
    ...searches.map(({ query }) => call('search_semantic', { query, limit: 5 })),
  ];
  return calls.map((one) => JSON.stringify(one));
}

function call(tool, args) {
  return { tool, arguments: args };
}

function newEntity({ name, type, status }) {
  return { name, entityType: type, status };
}

function newRelation({ from, to, relation_type: relationType, context, weight }) {
  return { from, to, relationType, ...(context && { context }), weight };
}

function observationCalls(entities) {
  let id = 0;
  return entities.flatMap(({ name, facts }) => {
    const first = id;
    return facts.map(({ content, kind, supersedes }) => {
      id += 1;
      const args = { name, observations: [content], kind };
      return call('add_observations', supersedes ? { ...args, supersedes: first + supersedes } : args);
    });
  });
}

function reflectionCall({ on, entity, from, type, to, session, author, mood, text }, entities, relations) {
  const isIt = (relation) => relation.from === from && relation.relation_type === type && relation.to === to;
  const targets = {
    entity: () => entities.findIndex(({ name }) => name === entity) + 1,
    relation: () => relations.findIndex(isIt) + 1,
    session: () => session,
    global: () => undefined,
  };
  const id = targets[on]();
  return call('add_reflection', { target_type: on, content: text, author, mood, ...(id && { target_id: id }) });
}

function* parts(list) {
  for (let start = 0; start < list.length; start += PER_CALL) yield list.slice(start, start + PER_CALL);
}

function chunks(list) {
  return [...parts(list)];
}
