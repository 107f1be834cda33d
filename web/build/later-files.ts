import type { Rollup } from 'vite';

/** What a first visit loads besides the entry: the first view, the source it asks, the tour that is offered. */
const FIRST = /\/src\/(views\/graph\/graph-view|source\/browser\/browser-source|tour\/tour-panel)\.tsx?$/;

/** Paths of the scripts and styles that nothing on a first visit loads; the service worker fetches them packed. */
export function laterPaths(bundle: Rollup.OutputBundle): ReadonlySet<string> {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const starts = chunks.filter(({ isEntry, moduleIds }) => isEntry || moduleIds.some((id) => FIRST.test(id)));
  const first = new Set<string>();
  const take = (path: string): void => {
    const chunk = bundle[path];
    if (first.has(path) || chunk?.type !== 'chunk') return;
    first.add(path);
    for (const style of chunk.viteMetadata?.importedCss ?? []) first.add(style);
    for (const next of chunk.imports) take(next);
  };
  for (const { fileName } of starts) take(fileName);
  return new Set(
    Object.keys(bundle).filter((path) => /\.(js|css)$/.test(path) && !first.has(path) && !isOfWorker(path)),
  );
}

/** Workers are built by themselves; a first visit starts all of them. */
function isOfWorker(path: string): boolean {
  return /-worker-[^/]*\.js$/.test(path);
}
