/**
 * Licences of third-party code in the npm package and the explorer: bundled npm packages, and crates in the modules.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The file beside the bundles. */
export const NOTICES_FILE = 'THIRD_PARTY_NOTICES.txt';

/** Written by `cargo xtask build`. */
const CRATES = fileURLToPath(new URL('../../pkg/third-party-crates.txt', import.meta.url));
/** What Limbic itself names. */
const NOTICE = fileURLToPath(new URL('../../NOTICE', import.meta.url));
const LICENCE_FILE = /^(licen[cs]e|copying|notice|copyright|unlicense)/i;
const HEAD = `Limbic contains software of others. Each section names packages with their version and licence, then the text that
belongs to them. SQLite, which rusqlite and sqlite-wasm-rs contain, is in the public domain.
`;

/**
 * The text of the notices.
 *
 * @param {Iterable<string>} modules paths of the bundled modules
 * @returns {string}
 */
export function thirdPartyNotices(modules) {
  if (!existsSync(CRATES)) throw new Error('pkg/third-party-crates.txt is missing: run `cargo xtask build`');
  /** @type {Map<string, string[]>} */
  const sections = new Map();
  for (const folder of packageFolders(modules)) {
    const text = licenceText(folder);
    const heading = headingOf(folder);
    const known = sections.get(text) ?? [];
    if (!known.includes(heading)) sections.set(text, [...known, heading]);
  }
  const npm = [...sections].map(([text, headings]) => `${headings.join('\n')}\n\n${text}\n`);
  return [HEAD, readFileSync(NOTICE, 'utf8'), ...npm, readFileSync(CRATES, 'utf8')].join('\n');
}

/**
 * The headings of the packages in the notices.
 *
 * @param {Iterable<string>} modules paths of the bundled modules
 * @returns {string[]}
 */
export function packageHeadings(modules) {
  return packageFolders(modules).map(headingOf);
}

function headingOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `## npm: ${name} ${version} (${license})`;
}

/** The folders of the npm packages that modules belong to, in order. */
function packageFolders(modules) {
  return [...new Set([...modules].map(packageFolder).filter((folder) => folder !== undefined))].sort();
}

/** The folder of the npm package that a module belongs to, if any. */
function packageFolder(module) {
  const path = module.replaceAll('\\', '/').replace(/\?.*$/, '');
  // A name that begins with a dot is a cache, not a package.
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/.@][^/]*)\//.exec(path)?.[1];
}

function licenceText(folder) {
  const files = readdirSync(folder)
    .filter((name) => LICENCE_FILE.test(name) && !name.endsWith('.js'))
    .sort();
  const texts = files.map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim());
  if (texts.length === 0) throw new Error(`${folder} has no text of its licence, which the notices must contain`);
  return texts.join('\n\n');
}
