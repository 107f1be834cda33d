// What must be true of the sample. Each problem is a sentence that begins with the place.

import { memoryProblems, twice } from './memory-check.mjs';
import { relationsOf } from './relations.mjs';
import { isDay, isWeekend } from './time.mjs';

const STATUSES = ['active', 'paused', 'completed', 'archived'];
const KINDS = [
  'generic',
  'decision',
  'metric',
  'finding',
  'milestone',
  'risk',
  'preference',
  'convention',
  'todo',
  'bug',
];
const TARGETS = ['entity', 'relation', 'session', 'global'];
const FIRST_DAY = '01-12';
const LAST_DAY = '10-09';
const MAX_NAME = 500;
const MAX_TEXT = 10_000;
const MAX_TEMPLATE_SHARE = 0.03;

/** All problems of the sample. */
export function problems(sample) {
  return [
    ...sample.entities.flatMap(entityProblems),
    ...twice(sample.entities.map(({ name, where }) => [name.normalize('NFC'), `${where}: ${name}`])),
    ...twice(
      sample.entities.flatMap((entity) =>
        entity.facts.map((fact) => [fact.content, `${entity.where}: ${fact.content}`]),
      ),
    ),
    ...templateProblems(sample.entities),
    ...linkProblems(sample.entities),
    ...sample.reflections.flatMap((reflection) => reflectionProblems(reflection, sample)),
    ...sample.searches.flatMap((search) => searchProblems(search, sample)),
    ...memoryProblems(sample),
    ...sample.questions.flatMap(({ question, kind, finds }) =>
      kind === 'memory' ? [] : unknown(sample, [finds], question),
    ),
    ...sample.tour.flatMap(({ title, entities = [] }) => unknown(sample, entities, title)),
  ];
}

function entityProblems({ name, type, status, facts, where }) {
  const found = [];
  if (name.length > MAX_NAME) found.push(`${where}: the name is too long`);
  if (!/^\p{Lu}[\p{L}]+$/u.test(type)) found.push(`${where}: no type: ${type}`);
  if (!STATUSES.includes(status)) found.push(`${where}: no status: ${status}`);
  if (facts.length === 0) found.push(`${where}: nothing is known of it`);
  for (const [index, fact] of facts.entries()) {
    const place = `${where} fact ${index + 1}`;
    if (fact.content.length > MAX_TEXT || fact.content.includes('\0')) found.push(`${place}: cannot be stored`);
    if (!KINDS.includes(fact.kind)) found.push(`${place}: no kind: ${fact.kind}`);
    if (index > 0 && fact.createdAt <= facts[index - 1].createdAt) found.push(`${place}: older than the one before`);
    if ((fact.supersedes ?? 0) > index) found.push(`${place}: supersedes a later one`);
    found.push(...dayProblems(fact.at, place));
  }
  const replaced = facts.flatMap(({ supersedes }) =>
    supersedes ? [[supersedes, `${where}: ${supersedes} is superseded`]] : [],
  );
  return [...found, ...twice(replaced)];
}

function dayProblems(at, place) {
  const day = at.slice(0, 5);
  if (!isDay(at)) return [`${place}: no day: ${at}`];
  if (day < FIRST_DAY || day > LAST_DAY) return [`${place}: ${at} is not within ${FIRST_DAY} to ${LAST_DAY}`];
  if (isWeekend(at) && at.length === 5) return [`${place}: ${at} is at a weekend and has no time of day`];
  return [];
}

function linkProblems(entities) {
  const names = new Set(entities.map(({ name }) => name));
  const relations = relationsOf(entities);
  const found = entities.flatMap((entity) =>
    entity.links.flatMap((link) => [
      ...(names.has(link.to) ? [] : [`${link.where}: there is no ${link.to}`]),
      ...(link.to === entity.name ? [`${link.where}: leads to itself`] : []),
      ...(link.weight > 0 && link.weight <= 1 ? [] : [`${link.where}: weight ${link.weight}`]),
    ]),
  );
  for (const { from, to, created_at: began, ended_at: ended } of relations) {
    if (ended !== undefined && ended <= began) found.push(`${from} -> ${to}: ends ${ended}, before it began ${began}`);
  }
  const keys = relations.map((one) => `${one.from} ${one.relation_type} ${one.to}`);
  return [...found, ...twice(keys.map((key) => [key, key]))];
}

/** Sentences that differ in numbers only: a few are life, many are a template. */
function templateProblems(entities) {
  const shapes = entities.flatMap(({ facts }) => facts.map(({ content }) => content.replace(/\d[\d.,]*/gu, '#')));
  const share = 1 - new Set(shapes).size / shapes.length;
  return share > MAX_TEMPLATE_SHARE ? [`${(100 * share).toFixed(1)} % of the facts differ in numbers only`] : [];
}

function reflectionProblems({ on, entity, from, type, to, text, at }, { entities }) {
  const found = dayProblems(at, `reflection of ${at}`);
  if (!TARGETS.includes(on) || !text) found.push(`reflection of ${at}: on nothing, or empty`);
  if (on === 'entity' && !entities.some(({ name }) => name === entity))
    found.push(`reflection of ${at}: there is no ${entity}`);
  const start = entities.find(({ name }) => name === from);
  if (on === 'relation' && !start?.links.some((link) => link.type === type && link.to === to)) {
    found.push(`reflection of ${at}: ${from} has no relation ${type} to ${to}`);
  }
  return found;
}

function searchProblems({ query, days, found, opened }, sample) {
  const began = new Map(sample.entities.map(({ name, facts }) => [name, facts[0]?.at.slice(0, 5) ?? '']));
  const early = days.flatMap((day) =>
    found.every((name) => (began.get(name) ?? '') > day) ? [`${query}: nothing of it is known on ${day}`] : [],
  );
  const strange = opened.filter((name) => !found.includes(name)).map((name) => `${query}: opened ${name} unfound`);
  return [...unknown(sample, found, query), ...strange, ...early];
}

function unknown({ entities }, names, place) {
  const known = new Set(entities.map(({ name }) => name));
  return names.filter((name) => !known.has(name)).map((name) => `${place}: there is no ${name}`);
}
