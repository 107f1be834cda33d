/** Derives the id of a domain from its name: lower case, words joined by hyphens. */
export function domainId(name: string): string {
  const joined = name
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return joined === '' ? name.trim() : joined;
}
