import { FolderPlus, RefreshCw, Trash2 } from 'lucide-react';
import { notify, notifyError } from '../../app/toasts.tsx';
import { useRoute } from '../../app/use-route.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Choice } from '../../components/choice.tsx';
import { askFor, confirm } from '../../components/confirm.tsx';
import { counted } from '../../components/format.ts';
import { callTool } from '../../mutations/mutations.ts';
import { useCanEdit, useSource } from '../../source/source-context.tsx';
import type { Output } from '../../source/tools.ts';
import { projectParams } from './code-url-state.ts';
import { KeepCurrent } from './keep-current.tsx';
import { OpenFolder } from './open-folder-button.tsx';
import styles from './project-bar.module.css';
import { useStatusText } from './use-index-status.ts';

type Project = Output<'list_projects'>['projects'][number];

const MAX_PATH = 4096;

interface AddProps {
  readonly variant: 'primary' | 'icon';
}

/** Asks for a folder and indexes it. */
export function AddProject({ variant }: AddProps) {
  const { code } = useSource();
  return code === undefined ? <AddFolder variant={variant} /> : <OpenFolder code={code} variant={variant} />;
}

/** Asks for the path of a folder that a server can read. */
function AddFolder({ variant }: AddProps) {
  const source = useSource();
  const { go } = useRoute();
  const add = async (initial: string): Promise<void> => {
    const path = await askFor(
      {
        title: 'Add a project',
        text: 'The server indexes the folder in the background. A relative path starts at the folder of --code-root; by default, that is the folder in which the server was started.',
        action: 'Index',
      },
      { label: 'Folder', initial, maxLength: MAX_PATH },
    );
    if (path === undefined || path === '') return;
    const started = await callTool(source, 'index_project', { path });
    // A notice says what is wrong: the path can be corrected.
    if (started === undefined) return add(path);
    go({ params: projectParams(started.project_id) });
  };
  if (variant === 'icon') return <IconButton icon={FolderPlus} label="Add project" onPress={() => void add('.')} />;
  return (
    <Button variant="primary" icon={FolderPlus} onPress={() => void add('.')}>
      Add project
    </Button>
  );
}

interface Props {
  readonly project: Project;
  readonly projects: readonly Project[];
  readonly status: Output<'get_index_status'> | undefined;
}

/** The selection of a project, its progress, and the actions on it. */
export function ProjectBar({ project, projects, status }: Props) {
  const source = useSource();
  const canEdit = useCanEdit();
  const { go } = useRoute();
  const text = useStatusText(status);
  const { project_id: id, path, include, exclude } = project;
  const update = async (): Promise<void> => {
    if (source.code === undefined) {
      await callTool(source, 'index_project', { path, project_id: id, include, exclude });
      return;
    }
    const answer = await source.code.update(id);
    if (!answer.ok) notifyError(answer.error);
  };
  const remove = async (): Promise<void> => {
    const isSure = await confirm({
      title: `Delete the index of ${id}?`,
      text: 'Files and memories stay. The project can be indexed again.',
      action: 'Delete',
      isDanger: true,
    });
    if (!isSure) return;
    const deleted = await callTool(source, 'delete_project', { project_id: id });
    if (deleted === undefined) return;
    notify({ text: `Deleted the index of ${id}`, detail: counted(deleted.symbols_deleted, 'symbol') });
    go({ params: projectParams(undefined), selection: null });
  };
  const isIndexing = status?.status === 'indexing';
  return (
    <div className={styles.bar}>
      <div className={styles.line}>
        <div className={styles.choice}>
          <Choice
            label="Project"
            options={projects.map(({ project_id, files }) => ({ id: project_id, title: project_id, count: files }))}
            chosen={id}
            onChoose={(chosen) => go({ params: projectParams(chosen), selection: null })}
          />
        </div>
        {canEdit && (
          <>
            <IconButton
              icon={RefreshCw}
              label={`Index ${id} again`}
              isDisabled={isIndexing}
              onPress={() => void update()}
            />
            <IconButton icon={Trash2} label={`Delete the index of ${id}`} onPress={() => void remove()} />
            <AddProject variant="icon" />
          </>
        )}
      </div>
      <p className={styles.status} role="status" data-status={status?.status}>
        {text}
      </p>
      {isIndexing && (
        <progress className={styles.progress} aria-label="Files indexed" max={100} value={status.progress_percent} />
      )}
      <KeepCurrent key={project.project_id} project={project} isWatched={status?.watched === true} />
    </div>
  );
}
