/** What goes along with the explorer's views and this page has no use for: questions, files, the tour, updates. */
export function Companions() {
  return null;
}
