import { ScanSearch } from 'lucide-react';
import { Suspense } from 'react';
import { lazyComponent } from '../../app/lazy-component.tsx';
import { Empty } from '../../components/empty.tsx';
import type { PageCode } from '../../source/page-code.ts';
import { useSource, useStore } from '../../source/source-context.tsx';
import { useOffers } from '../../source/use-offers.ts';
import { OpenFolder } from './open-folder-button.tsx';

/** Loaded when there is code; the service worker does not cache it. */
const loadProjects = async () => (await import('./projects.tsx')).Projects;

/** Indexed source code: files, symbols, calls and search. */
export function CodeView() {
  const { code } = useSource();
  return (
    <>
      <h1 className="visually-hidden">Code</h1>
      {code === undefined ? <ServerCode /> : <OpenedCode code={code} />}
    </>
  );
}

/** The source code that a server has indexed. */
function ServerCode() {
  const { kind } = useSource();
  const isOffered = useOffers('explore_code');
  if (kind === 'server' && isOffered === undefined) return <div aria-busy="true" />;
  return isOffered === true ? <Code /> : <NoCode isServer={kind === 'server'} />;
}

/** The source code of the folders that were opened in this page. */
function OpenedCode({ code }: { readonly code: PageCode }) {
  const isOpen = useStore(code.isOpen);
  if (isOpen) return <Code />;
  return (
    <Empty icon={ScanSearch} title="No source code is open">
      <p>
        Open the folder of a project, or drop it here, to browse its files, search its code and see who calls what. The
        page only reads it, sends it nowhere, and forgets it when it is closed.
      </p>
      <OpenFolder code={code} />
      <p>A server keeps an index and links it with memories:</p>
      <p>
        <code>npx limbic-memory --ui --toolsets all</code>
      </p>
    </Empty>
  );
}

function Code() {
  const Projects = lazyComponent(loadProjects);
  return (
    <Suspense fallback={<div aria-busy="true" />}>
      <Projects />
    </Suspense>
  );
}

/** Shows what to do where source code is not indexed. */
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
