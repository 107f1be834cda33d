import type { Rollup } from 'vite';

/** Modules that a first visit loads besides the entry: the first view, the source and the tour. */
const FIRST = /\/src\/(views\/graph\/graph-view|source\/browser\/browser-source|tour\/tour-panel)\.tsx?$/;

/** The scripts and styles that a first visit does not load; the service worker fetches them as one compressed file. */
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

/** Workers are built separately; a first visit starts all of them. */
function isOfWorker(path: string): boolean {
  return /-worker-[^/]*\.js$/.test(path);
}
