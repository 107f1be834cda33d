/** The environment of the programs that this one starts. */

/** Variables whose value is a secret. A passphrase that was typed is in one of them, too. */
const SECRETS: ReadonlySet<string> = new Set([
  'LIMBIC_KEY',
  'LIMBIC_PASSPHRASE',
  'LIMBIC_NEW_PASSPHRASE',
  'LIMBIC_TOKEN',
  'LIMBIC_PAGE_TOKEN',
]);

/** Returns the environment without the variables whose value is a secret. */
export function childEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  // Windows does not distinguish the case of names.
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.has(name.toUpperCase())));
}
