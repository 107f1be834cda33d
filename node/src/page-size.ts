/** What to say of a page that is too large to be handled well. */

/**
 * From here on a page is large. A browser reads all of it before it shows anything, and 25 MB is what common mail
 * services take as an attachment.
 */
const LARGE_PAGE_BYTES = 25_000_000;
const MEGABYTE = 1_000_000;

/** A warning with what to do, where a page of so many bytes is large. */
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
