// The sample as a Limbic export: one record a line, the form that crates/limbic-tools/src/records.rs describes.

import { instant } from './time.mjs';
import { memoryRecords } from './memory-export.mjs';
import { relationsOf } from './relations.mjs';
import { events, tally } from './accesses.mjs';

/** All lines of the export. */
export function exportLines({ entities, reflections, searches, domains, memories }) {
  const use = tally(events(entities, searches));
  const records = [
    ...entities.map(entityRecord),
    ...entities.flatMap(observationRecords),
    ...tag('relation', relationsOf(entities)),
    ...reflections.map(reflectionRecord),
    ...tag('access', use.access),
    ...tag('access_day', use.days),
    ...tag('co_occurrence', use.pairs),
    ...memoryRecords({ domains, memories }),
  ];
  const head = { record: 'export', format: 'limbic', version: 1 };
  return [head, ...records, { record: 'end', records: records.length }].map((record) => JSON.stringify(record));
}

function tag(record, list) {
  return list.map((fields) => ({ record, ...fields }));
}

function entityRecord({ name, type, status, facts }) {
  const times = facts.map((fact) => fact.createdAt);
  return {
    record: 'entity',
    name,
    entity_type: type,
    status,
    created_at: times[0],
    updated_at: times.at(-1),
  };
}

function observationRecords({ name, facts }) {
  return facts.map((fact, index) => ({
    record: 'observation',
    entity: name,
    n: index + 1,
    content: fact.content,
    kind: fact.kind,
    created_at: fact.createdAt,
    ...(fact.supersededAt && { superseded_at: fact.supersededAt }),
    ...(fact.supersedes && { supersedes: fact.supersedes }),
  }));
}

function reflectionRecord({ on, entity, from, type, to, session, author, mood, at, text }) {
  return {
    record: 'reflection',
    target_type: on,
    ...(entity && { entity }),
    ...(type && { from, relation_type: type, to }),
    ...(session && { session }),
    author,
    ...(mood && { mood }),
    content: text,
    created_at: instant(at, text),
  };
}
