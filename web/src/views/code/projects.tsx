import { FolderTree, ScanSearch } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useRoute } from '../../app/use-route.ts';
import { Empty } from '../../components/empty.tsx';
import { Problem } from '../../components/problem.tsx';
import { SidePanel, SidePanelToggle } from '../../components/side-panel.tsx';
import { codeVersion } from '../../source/code-version.ts';
import { useCanEdit } from '../../source/source-context.tsx';
import type { Output } from '../../source/tools.ts';
import { useTool } from '../../source/use-tool.ts';
import { CallGraph } from './call-graph.tsx';
import { CodeSearch } from './code-search.tsx';
import { type CodeUrlState, parseCodeUrl, placeParams, SYMBOL } from './code-url-state.ts';
import { FileTree } from './file-tree.tsx';
import { AddProject, ProjectBar } from './project-bar.tsx';
import { ProjectOverview } from './project-overview.tsx';
import panels from '../../components/side-panel.module.css';
import styles from './projects.module.css';
import { SearchForm } from './search-form.tsx';
import { SourceView } from './source-view.tsx';
import { useIndexStatus } from './use-index-status.ts';
import { useReloadOn } from './use-reload-on.ts';

/** The name of the panel beside the content. */
const PANEL = 'Projects and files';

type Project = Output<'list_projects'>['projects'][number];

/** The indexed projects of a server: one of them is shown. */
export function Projects() {
  const { route } = useRoute();
  const canEdit = useCanEdit();
  const { data, error, reload } = useTool('list_projects', {});
  if (error !== undefined) return <Problem problem={error} onRetry={reload} />;
  if (data === undefined) return <div aria-busy="true" />;
  const urlState = parseCodeUrl(route.params);
  const [first] = data.projects;
  if (first === undefined) {
    return (
      <Empty icon={ScanSearch} title="No project is indexed">
        <p>
          {canEdit
            ? 'Add the folder of a project to browse its files, search its code and see who calls what.'
            : 'This server is read-only. Index a project with a server that is not, with index_project.'}
        </p>
        {canEdit && <AddProject variant="primary" />}
      </Empty>
    );
  }
  const project = data.projects.find(({ project_id }) => project_id === urlState.project);
  if (project === undefined && urlState.project !== undefined) {
    return <Missing id={urlState.project} projects={data.projects} />;
  }
  const shown = project ?? first;
  return (
    <ProjectView
      key={shown.project_id}
      project={shown}
      projects={data.projects}
      urlState={urlState}
      onIndexed={reload}
    />
  );
}

function Missing({ id, projects }: { readonly id: string; readonly projects: readonly Project[] }) {
  const { hrefOf } = useRoute();
  return (
    <Empty icon={ScanSearch} title={`The project “${id}” is not indexed`}>
      <p>Indexed projects:</p>
      <ul>
        {projects.map(({ project_id }) => (
          <li key={project_id}>
            <a href={hrefOf({ params: { project: project_id, path: undefined, line: undefined } })}>{project_id}</a>
          </li>
        ))}
      </ul>
    </Empty>
  );
}

interface ProjectViewProps {
  readonly project: Project;
  readonly projects: readonly Project[];
  readonly urlState: CodeUrlState;
  /** More of the project is indexed. */
  readonly onIndexed: () => void;
}

function ProjectView({ project, projects, urlState, onIndexed }: ProjectViewProps) {
  const { go } = useRoute();
  const [isTreeOpen, setTreeOpen] = useState(false);
  const id = project.project_id;
  const { status, version } = useIndexStatus(id);
  useReloadOn(version, onIndexed);
  useEffect(() => {
    if (version !== '') codeVersion.set(`${id} ${version}`);
  }, [id, version]);
  const open = (path: string): void => {
    setTreeOpen(false);
    go({ params: placeParams(id, path) });
  };
  return (
    <div className={panels.view}>
      <SidePanel label={PANEL} isOpen={isTreeOpen} onClose={() => setTreeOpen(false)}>
        <ProjectBar project={project} projects={projects} status={status} />
        <FileTree project={id} version={version} path={urlState.path} onOpen={open} />
      </SidePanel>
      <div className={panels.work}>
        <div className={styles.bar}>
          <SidePanelToggle
            icon={FolderTree}
            label={PANEL}
            isOpen={isTreeOpen}
            onToggle={() => setTreeOpen(!isTreeOpen)}
          />
          <SearchForm question={urlState.question} target={urlState.target} project={id} />
        </div>
        <div className={styles.content}>
          <Content project={project} urlState={urlState} status={status} version={version} />
        </div>
      </div>
    </div>
  );
}

interface ContentProps {
  readonly project: Project;
  readonly urlState: CodeUrlState;
  readonly status: Output<'get_index_status'> | undefined;
  readonly version: string;
}

function Content({ project, urlState, status, version }: ContentProps) {
  const { route } = useRoute();
  const { question, target, path, line, showsCalls } = urlState;
  const id = project.project_id;
  const symbol = route.selection?.kind === SYMBOL ? route.selection.id : undefined;
  if (question !== '') return <CodeSearch project={id} question={question} target={target} version={version} />;
  if (showsCalls && symbol !== undefined) return <CallGraph symbolId={symbol} />;
  if (path !== undefined) return <SourceView key={path} project={id} path={path} line={line} version={version} />;
  return <ProjectOverview project={project} status={status} version={version} />;
}
