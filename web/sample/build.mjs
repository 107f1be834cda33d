// Makes the sample memory of the offline demo from its text files.
//
//   node build.mjs [FILE]          the Limbic export
//   node build.mjs --calls [FILE]  the same as tool calls for an empty memory
//   node build.mjs --check         problems and counts only
//
// Without FILE it writes to standard output. With problems it writes nothing and exits with 1.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { callLines } from './calls.mjs';
import { problems } from './check.mjs';
import { exportLines } from './export.mjs';
import { readMemories } from './memories.mjs';
import { memorySummary } from './memory-check.mjs';
import { readEntities, readLines } from './read.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const json = (name) => JSON.parse(readFileSync(here(name), 'utf8'));

const options = process.argv.slice(2);
const [file] = options.filter((option) => !option.startsWith('--'));

const sample = {
  entities: readEntities(here('entities')),
  ...readMemories(here('memories')),
  reflections: readLines(here('reflections.jsonl')),
  searches: readLines(here('searches.jsonl')),
  questions: json('questions.json'),
  tour: json('tour.json'),
};

const found = problems(sample);
for (const problem of found) console.error(problem);
console.error(summary(sample));
if (found.length > 0) process.exit(1);

if (!options.includes('--check')) {
  const lines = options.includes('--calls') ? callLines(sample) : exportLines(sample);
  const text = `${lines.join('\n')}\n`;
  if (file === undefined) process.stdout.write(text);
  else writeFileSync(file, text);
}

function summary({ entities, reflections, searches, domains, memories }) {
  const facts = entities.flatMap((entity) => entity.facts);
  const links = entities.flatMap((entity) => entity.links);
  const asked = searches.reduce((sum, { days }) => sum + days.length, 0);
  return [
    `${entities.length} entities`,
    `${facts.length} observations (${facts.filter((fact) => fact.supersededAt).length} superseded)`,
    `${links.length} relations (${links.filter((link) => link.until).length} ended)`,
    `${reflections.length} reflections`,
    `${searches.length} questions asked ${asked} times`,
    ...memorySummary({ domains, memories }),
  ].join(', ');
}
