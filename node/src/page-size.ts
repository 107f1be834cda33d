/** The warning about large pages. */

/**
 * Pages larger than this get a warning. A browser reads the whole page before it shows anything, and common mail
 * services limit attachments to 25 MB.
 */
const LARGE_PAGE_BYTES = 25_000_000;
const MEGABYTE = 1_000_000;

/** A warning for a page of this size, or `undefined` if it is not large. */
export function sizeWarning(bytes: number, types: readonly string[] | undefined): string | undefined {
  if (bytes <= LARGE_PAGE_BYTES) return undefined;
  const smaller =
    types === undefined
      ? '--types A,B writes a page with only entities of these types'
      : '--types with fewer types writes a smaller page';
  return (
    `the page has ${(bytes / MEGABYTE).toFixed(1)} MB. Above ${LARGE_PAGE_BYTES / MEGABYTE} MB a page opens slowly, since a browser reads all of it first, ` +
    `and is too large for most mail services. ${smaller}; --ui shows a memory of any size`
  );
}
