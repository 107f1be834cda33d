// Reads the memories of the sample from their text form, which README.md describes.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { compare } from './read.mjs';
import { sessionAt, tick, YEAR } from './time.mjs';

const DOMAIN_LINE = /^= (\S+) (\d\d-\d\d): ([^|]+) \| (.+)$/u;
const HEAD_LINE = /^(\S+)(?: (\S+))?: (.*)$/u;
const TEXT_LINE = /^- (\d\d-\d\d(?: \d\d:\d\d)?) (\d(?:\.\d+)?): (.+)$/u;
const END_LINE = /^x (\d\d-\d\d): (.+)$/u;
const USE = /^(\d\d-\d\d)(?:x(\d+))?$/u;

/**
 * @typedef {{content: string, confidence: number, at: string, createdAt: string}} Text
 * @typedef {{type: string, to: string, strength?: number, day?: string, isBothWays?: boolean, purpose?: string, where: string}} MemoryLink
 * @typedef {{id: string, domain: string, path: string, category: string, memoryType: string, subject: string, tags: string[],
 * importance: number, isPinned: boolean, tier: string, isUnmoved: boolean, user?: string, source?: string, expires?:
 * string,
 *   holdsFrom?: string, texts: Text[], uses: {day: string, times: number}[], end?: {day: string, reason: string},
 *   entities: string[], links: MemoryLink[], where: string}} Memory
 * @typedef {{id: string, name: string, description: string, day: string}} Domain
 */

/**
 * All domains of a folder of text files, and their memories in the order of their first text.
 *
 * @returns {{domains: Domain[], memories: Memory[]}}
 */
export function readMemories(folder) {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.txt'))
    .sort();
  const parts = files.map((file) => parse(readFileSync(join(folder, file), 'utf8'), file));
  const memories = parts.flatMap((part) => part.memories);
  memories.sort((a, b) => compare(a.texts[0]?.createdAt, b.texts[0]?.createdAt) || compare(a.id, b.id));
  return {
    domains: parts.map((part) => part.domain).sort((a, b) => compare(a.day, b.day) || compare(a.id, b.id)),
    memories,
  };
}

/** A day of the sample's year, or a moment of it, in which no chance has a part. */
export function moment(at) {
  const [day, clock = '00:00'] = at.split(' ');
  return `${YEAR}-${day} ${clock}:00`;
}

function parse(text, file) {
  /** @type {Memory[]} */
  const memories = [];
  let domain;
  let path = '/';
  for (const [index, line] of text.split('\n').entries()) {
    const where = `${file}:${index + 1}`;
    const memory = memories.at(-1);
    const begins = DOMAIN_LINE.exec(line);
    if (begins !== null) domain = { id: begins[1], day: begins[2], name: begins[3], description: begins[4] };
    else if (line === '') continue;
    else if (domain === undefined) throw new Error(`${where}: a line before the domain`);
    else if (line.startsWith('/')) path = line;
    else if (line.startsWith('# ')) memories.push(begun(line.slice(2), domain.id, path, where));
    else if (memory === undefined) throw new Error(`${where}: a line before the first memory`);
    else if (memory.category === '') readHead(memory, line);
    else readLine(memory, line, where);
  }
  if (domain === undefined) throw new Error(`${file}: no domain`);
  for (const memory of memories) assignTimes(memory);
  return { domain, memories };
}

function begun(id, domain, path, where) {
  const empty = { tags: [], texts: [], uses: [], entities: [], links: [] };
  return {
    id,
    domain,
    path,
    category: '',
    memoryType: 'semantic',
    subject: '',
    importance: 1,
    isPinned: false,
    tier: 'l4',
    isUnmoved: false,
    ...empty,
    where,
  };
}

function readHead(memory, line) {
  const head = HEAD_LINE.exec(line);
  if (head === null) throw new Error(`${memory.where}: no category and subject: ${line}`);
  const [subject, ...options] = head[3].split(' | ');
  Object.assign(memory, { category: head[1], memoryType: head[2] ?? 'semantic', subject });
  for (const option of options) readOption(memory, option);
}

function readOption(memory, option) {
  const named = /^(user|source|expires|holds from) (.+)$/u.exec(option);
  if (option.startsWith('#'))
    memory.tags = option
      .split(' ')
      .map((tag) => tag.slice(1))
      .sort(compare);
  else if (option.startsWith('!')) memory.importance = Number(option.slice(1));
  else if (option === 'pinned') memory.isPinned = true;
  else if (option === 'unmoved') memory.isUnmoved = true;
  else if (/^l\d$/u.test(option)) memory.tier = option;
  else if (named === null) throw new Error(`${memory.where}: not understood: ${option}`);
  else memory[named[1] === 'holds from' ? 'holdsFrom' : named[1]] = named[2];
}

function readLine(memory, line, where) {
  const text = TEXT_LINE.exec(line);
  const end = END_LINE.exec(line);
  const [sign, rest] = [line.slice(0, 2), line.slice(2)];
  if (text !== null) memory.texts.push({ at: text[1], confidence: Number(text[2]), content: text[3], createdAt: '' });
  else if (end !== null) memory.end = { day: end[1], reason: end[2] };
  else if (sign === '  ') continueText(memory, rest, where);
  else if (sign === '* ') memory.uses = rest.split(' ').map((use) => readUse(use, where));
  else if (sign === '@ ') memory.entities = rest.split(' | ');
  else if (sign === '> ') memory.links.push(readLink(rest, where));
  else throw new Error(`${where}: not understood: ${line}`);
}

function continueText({ texts }, rest, where) {
  const text = texts.at(-1);
  if (text === undefined) throw new Error(`${where}: nothing to continue`);
  text.content += `\n${rest}`;
}

function readUse(text, where) {
  const use = USE.exec(text);
  if (use === null) throw new Error(`${where}: no day of use: ${text}`);
  return { day: use[1], times: Number(use[2] ?? 1) };
}

function readLink(rest, where) {
  const [head, ...options] = rest.split(' | ');
  const [type, to = ''] = head.split(' ');
  /** @type {MemoryLink} */
  const link = { type, to, where };
  for (const option of options) {
    if (/^\d\d-\d\d$/u.test(option)) link.day = option;
    else if (/^\d\.\d+$/u.test(option)) link.strength = Number(option);
    else if (option === 'both ways') link.isBothWays = true;
    else link.purpose = option;
  }
  return link;
}

/** Assigns times to texts: a session stores its memories at its end, all at once. */
function assignTimes({ texts }) {
  let last = '';
  for (const [index, text] of texts.entries()) {
    text.createdAt = sessionAt(text.at);
    if (text.createdAt <= last && text.at === texts[index - 1]?.at) text.createdAt = tick(last, text.content);
    last = text.createdAt;
  }
}
