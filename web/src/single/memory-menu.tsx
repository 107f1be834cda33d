/** A memory in a page is neither brought along nor taken away: there is no menu for it. */
export function MemoryMenu() {
  return null;
}
