// What must be true of the memories of the sample. Each problem is a sentence that begins with the place.

import { endsOf, linksOf } from './memory-links.mjs';
import { isDay, isWeekend } from './time.mjs';

const CATEGORIES = ['fact', 'preference', 'decision', 'convention'];
const MEMORY_TYPES = ['episodic', 'semantic', 'procedural'];
const TIERS = ['l0', 'l1', 'l2', 'l3', 'l4'];
const ACYCLIC = ['supersedes', 'refines'];
const FIRST_DAY = '01-12';
const LAST_DAY = '10-09';
const MAX_TEXT = 1_000;
const MAX_OVERLAP = 0.6;

/** All problems of the memories, and of the questions and the tour about them. */
export function memoryProblems({ domains, memories, entities, questions, tour }) {
  const known = new Set(memories.map(({ id }) => id));
  const named = [
    ...questions.flatMap(({ question, kind, finds }) => (kind === 'memory' ? [[question, finds]] : [])),
    ...tour.flatMap(({ title, memory }) => (memory === undefined ? [] : [[title, memory]])),
  ];
  return [
    ...twice(domains.map(({ id }) => [id, `domain ${id}`])),
    ...twice(memories.map(({ id, where }) => [id, `${where}: ${id}`])),
    ...memories.flatMap((memory) => [...fieldProblems(memory), ...dayProblems(memory)]),
    ...textProblems(memories, entities),
    ...mentionProblems(memories, entities),
    ...linkProblems(memories),
    ...named.flatMap(([place, id]) => (known.has(id) ? [] : [`${place}: there is no memory ${id}`])),
  ];
}

/** Counts for people. */
export function memorySummary({ domains, memories }) {
  const links = linksOf(memories);
  const earlier = memories.reduce((sum, { texts }) => sum + texts.length - 1, 0);
  const references = links.filter((link) => link.isReference).length;
  return [
    `${memories.length} memories in ${domains.length} domains (${endsOf(memories).size} ended, ${earlier} earlier texts)`,
    `${links.length - references} links and ${references} references between them`,
  ];
}

function fieldProblems({ where, id, category, memoryType, tier, subject, importance, texts }) {
  const found = [];
  if (!/^[a-z][a-z0-9-]{2,30}$/u.test(id)) found.push(`${where}: no id: ${id}`);
  if (!CATEGORIES.includes(category)) found.push(`${where}: no category: ${category}`);
  if (!MEMORY_TYPES.includes(memoryType)) found.push(`${where}: no type: ${memoryType}`);
  if (!TIERS.includes(tier)) found.push(`${where}: no tier: ${tier}`);
  if (subject === '' || subject.includes(' ')) found.push(`${where}: a subject is one word: ${subject}`);
  if (!(importance >= 0 && importance <= 10)) found.push(`${where}: importance ${importance}`);
  if (texts.length === 0) found.push(`${where}: it says nothing`);
  for (const { content, confidence } of texts) {
    if (content.length > MAX_TEXT || content.includes('\0')) found.push(`${where}: cannot be stored`);
    if (!(confidence > 0 && confidence <= 1)) found.push(`${where}: confidence ${confidence}`);
  }
  return found;
}

function dayProblems({ where, texts, uses, end, expires, holdsFrom, links }) {
  const linked = links.flatMap(({ day }) => day ?? []);
  const ats = [...texts.map(({ at }) => at), ...uses.map(({ day }) => day), ...linked, ...(end ? [end.day] : [])];
  const strange = ats.flatMap((at) => {
    if (!isDay(at) || at < FIRST_DAY || at.slice(0, 5) > LAST_DAY) return [`${where}: no day of the sample: ${at}`];
    return isWeekend(at) && at.length === 5 ? [`${where}: ${at} is at a weekend and has no time of day`] : [];
  });
  const [began = '', ...days] = [texts[0]?.at.slice(0, 5), ...uses.map(({ day }) => day)];
  const last = days.at(-1) ?? began;
  const found = [];
  if (texts.some(({ createdAt }, index) => index > 0 && createdAt <= texts[index - 1].createdAt))
    found.push(`${where}: texts out of order`);
  if (days.some((day, index) => day <= (days[index - 1] ?? began)))
    found.push(`${where}: used out of order, or before it was there`);
  if (end !== undefined && (end.day <= began || end.day < last)) found.push(`${where}: ends ${end.day}, used ${last}`);
  for (const at of [expires, holdsFrom])
    if (at !== undefined && (!isDay(at) || at <= last)) found.push(`${where}: ${at} is not after ${last}`);
  return [...strange, ...found];
}

/** Nothing is copied from an observation, or a template with other numbers. */
function textProblems(memories, entities) {
  const facts = entities.flatMap((entity) => entity.facts.map(({ content }) => words(content)));
  const texts = memories.flatMap(({ texts, where }) => texts.map(({ content }) => ({ content, where })));
  const shape = (content) => content.replace(/\d[\d.,]*/gu, '#');
  return [
    ...texts.flatMap(({ content, where }) => {
      const own = words(content);
      return facts.some((fact) => overlap(own, fact) > MAX_OVERLAP)
        ? [`${where}: an observation says the same: ${content}`]
        : [];
    }),
    ...twice(texts.map(({ content, where }) => [shape(content), `${where}: but for numbers, ${content}`])),
  ];
}

function words(content) {
  return new Set(content.toLowerCase().match(/[\p{L}\d]+/gu));
}

/** The share of words that two texts have in common. */
function overlap(one, other) {
  const both = [...one].filter((word) => other.has(word)).length;
  return both / (one.size + other.size - both);
}

function mentionProblems(memories, entities) {
  const names = new Set(entities.map(({ name }) => name));
  return memories.flatMap(({ where, entities: mentioned }) => [
    ...mentioned.filter((name) => !names.has(name)).map((name) => `${where}: there is no ${name}`),
    ...twice(mentioned.map((name) => [name, `${where}: ${name}`])),
  ]);
}

function linkProblems(memories) {
  const known = new Set(memories.map(({ id }) => id));
  const ends = endsOf(memories);
  const links = linksOf(memories);
  const lost = memories.flatMap(({ links }) =>
    links.filter(({ to }) => !known.has(to)).map(({ where, to }) => `${where}: there is no memory ${to}`),
  );
  return [
    ...lost,
    ...links.flatMap((link) => oneLinkProblems(link, ends)),
    ...twice(
      links.map(({ from, type, to, isReference, where }) => [
        `${from.id} ${isReference ? '' : type} ${to.id}`,
        `${where}: ${from.id} -> ${to.id}`,
      ]),
    ),
    ...twice(
      links
        .filter(({ type }) => type === 'supersedes')
        .map(({ to, where }) => [to.id, `${where}: ${to.id} is superseded`]),
    ),
    ...ACYCLIC.flatMap((type) => cycles(links.filter((link) => link.type === type))),
  ];
}

function oneLinkProblems({ from, type, to, strength, day, purpose, isBothWays, isReference, at, where }, ends) {
  const found = [];
  if (from === to) found.push(`${where}: leads to itself`);
  if (!/^[a-z_]+$/u.test(type)) found.push(`${where}: no type: ${type}`);
  if (strength !== undefined && !(strength > 0 && strength < 1)) found.push(`${where}: strength ${strength}`);
  if (isReference && (strength !== undefined || day !== undefined))
    found.push(`${where}: a reference has neither strength nor day`);
  if (!isReference && (purpose !== undefined || isBothWays))
    found.push(`${where}: only a reference says what it is for`);
  if (at < (to.texts[0]?.createdAt ?? '') || at < (from.texts[0]?.createdAt ?? ''))
    found.push(`${where}: made before both were there`);
  if (type === 'supersedes') {
    if (isReference) found.push(`${where}: a reference ends nothing`);
    if (to.end !== undefined && to.end.day !== at.slice(5, 10))
      found.push(`${where}: ${to.id} ends ${to.end.day}, not ${at.slice(0, 10)}`);
  }
  if (type === 'contradicts') {
    if (isReference || from.user !== to.user)
      found.push(`${where}: only memories of one domain and user contradict each other`);
    for (const { id } of [from, to])
      if (ends.has(id)) found.push(`${where}: ${id} has ended, so nothing is to be settled`);
  }
  return found;
}

function cycles(links) {
  const targets = (id) => links.filter(({ from }) => from.id === id).map(({ to }) => to.id);
  const isReached = (id, goal, seen = new Set()) =>
    targets(id).some((next) => next === goal || (!seen.has(next) && isReached(next, goal, seen.add(next))));
  return links
    .filter(({ from }) => isReached(from.id, from.id))
    .map(({ where, type }) => `${where}: ${type} forms a cycle`);
}

/** A problem for each pair of key and text whose key an earlier pair has. */
export function twice(pairs) {
  const seen = new Set();
  return pairs.flatMap(([key, text]) => {
    if (seen.has(key)) return [`${text}: twice`];
    seen.add(key);
    return [];
  });
}
