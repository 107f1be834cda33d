import { ScanSearch } from 'lucide-react';
import { Suspense } from 'react';
import { lazyComponent } from '../../app/lazy-component.tsx';
import { Empty } from '../../components/empty.tsx';
import { useSource } from '../../source/source-context.tsx';
import { useOffers } from '../../source/use-offers.ts';

/** Loaded only from a server; the service worker does not cache it. */
const loadProjects = async () => (await import('./projects.tsx')).Projects;

/** The source code that a server has indexed: files, symbols, calls and search. */
export function CodeView() {
  const { kind } = useSource();
  const isOffered = useOffers('explore_code');
  const Projects = lazyComponent(loadProjects);
  if (kind === 'server' && isOffered === undefined) return <div aria-busy="true" />;
  return (
    <>
      <h1 className="visually-hidden">Code</h1>
      {isOffered === true ? (
        <Suspense fallback={<div aria-busy="true" />}>
          <Projects />
        </Suspense>
      ) : (
        <NoCode isServer={kind === 'server'} />
      )}
    </>
  );
}

/** What to do where source code is not indexed. */
function NoCode({ isServer }: { readonly isServer: boolean }) {
  return (
    <Empty icon={ScanSearch} title="No source code here">
      <p>
        {isServer
          ? 'This server does not index source code. Start it with the toolset code, and this view shows your projects:'
          : 'Source code is indexed by a server, which can read your files. Start one, and open the address that it prints:'}
      </p>
      <p>
        <code>npx limbic-memory --ui --toolsets all</code>
      </p>
    </Empty>
  );
}
