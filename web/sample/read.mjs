// Reads the text form of the sample memory, which README.md describes.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { instant, tick } from './time.mjs';

const ENTITY_LINE = /^# (.+)$/u;
const FACT_LINE = /^- (\d\d-\d\d(?: \d\d:\d\d)?)(?: ([a-zñ]+))?(?: \^(\d+))?: (.+)$/u;
const LINK_LINE = /^> ([a-z_]+) (.+)$/u;

/**
 * @typedef {{content: string, kind: string, at: string, createdAt: string, supersedes?: number, supersededAt?: string}} Fact
 * @typedef {{type: string, to: string, context?: string, weight: number, from?: string, until?: string, where: string}} Link
 * @typedef {{name: string, type: string, status: string, facts: Fact[], links: Link[], where: string}} Entity
 */

/** All entities of a folder of text files, in the order of their first fact. */
export function readEntities(folder) {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.txt'))
    .sort();
  const entities = files.flatMap((file) => parse(readFileSync(join(folder, file), 'utf8'), file));
  return entities.sort((a, b) => compare(a.facts[0]?.createdAt, b.facts[0]?.createdAt) || compare(a.name, b.name));
}

/** The objects of a file with one JSON object a line. */
export function readLines(path) {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Orders texts by their code units: the same on every machine. */
export function compare(a = '', b = '') {
  return a < b ? -1 : Number(a > b);
}

function parse(text, file) {
  /** @type {Entity[]} */
  const entities = [];
  let isTypeNext = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const where = `${file}:${index + 1}`;
    const entity = entities.at(-1);
    const name = ENTITY_LINE.exec(line)?.[1];
    if (name !== undefined) {
      entities.push({ name, type: '', status: 'active', facts: [], links: [], where });
      isTypeNext = true;
    } else if (entity === undefined) {
      throw new Error(`${where}: a line before the first entity`);
    } else if (isTypeNext) {
      const [type, status = 'active'] = line.split(', ');
      Object.assign(entity, { type, status });
      isTypeNext = false;
    } else if (line.startsWith('  ')) {
      continueFact(entity, line.slice(2), where);
    } else {
      addLine(entity, line, where);
    }
  }
  for (const entity of entities) assignTimes(entity);
  return entities;
}

function continueFact(entity, rest, where) {
  const fact = entity.facts.at(-1);
  if (fact === undefined) throw new Error(`${where}: nothing to continue`);
  fact.content += `\n${rest}`;
}

function addLine(entity, line, where) {
  const fact = FACT_LINE.exec(line);
  const link = LINK_LINE.exec(line);
  if (fact !== null) {
    const [, at, kind = 'generic', supersedes, content] = fact;
    entity.facts.push({ content, kind, at, createdAt: '', ...(supersedes && { supersedes: Number(supersedes) }) });
  } else if (link !== null) {
    entity.links.push(readLink(link[1], link[2], where));
  } else {
    throw new Error(`${where}: not understood: ${line}`);
  }
}

function readLink(type, rest, where) {
  const [to, ...options] = rest.split(' | ');
  /** @type {Link} */
  const link = { type, to, weight: 1, where };
  for (const option of options) {
    const period = /^(from|until) (\d\d-\d\d)$/u.exec(option);
    if (period !== null) link[period[1]] = period[2];
    else if (/^\d\.\d+$/u.test(option)) link.weight = Number(option);
    else link.context = option;
  }
  return link;
}

/** Gives facts their instants, and superseded ones their end. */
function assignTimes(entity) {
  let last = '';
  for (const [index, fact] of entity.facts.entries()) {
    fact.createdAt = instant(fact.at, `${entity.name}/${fact.at}`);
    if (fact.createdAt <= last && fact.at === entity.facts[index - 1]?.at) fact.createdAt = tick(last, fact.content);
    last = fact.createdAt;
    const old = entity.facts[(fact.supersedes ?? 0) - 1];
    if (old !== undefined && old !== fact) old.supersededAt = fact.createdAt;
  }
}
