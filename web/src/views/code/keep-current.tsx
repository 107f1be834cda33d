import { useEffect, useState } from 'react';
import { callTool } from '../../mutations/mutations.ts';
import { useCanEdit, useSource } from '../../source/source-context.tsx';
import type { Output } from '../../source/tools.ts';
import { useOffers } from '../../source/use-offers.ts';
import styles from './keep-current.module.css';

interface Props {
  readonly project: Output<'list_projects'>['projects'][number];
  /** Whether servers watch the project's files, as far as is known. */
  readonly isWatched: boolean;
}

/**
 * The switch that starts and ends the watch of a project. Absent where only reading is allowed, and without a server.
 */
export function KeepCurrent({ project, isWatched }: Props) {
  const source = useSource();
  const canEdit = useCanEdit();
  const isOffered = useOffers('index_project');
  /** The choice until the status confirms it. */
  const [chosen, setChosen] = useState<boolean>();
  useEffect(() => setChosen(undefined), [isWatched]);
  if (!canEdit || isOffered !== true || source.code !== undefined) return null;
  const { project_id, path, include, exclude } = project;
  const isOn = chosen ?? isWatched;
  const choose = async (watch: boolean): Promise<void> => {
    setChosen(watch);
    const started = await callTool(source, 'index_project', { path, project_id, include, exclude, watch });
    if (started === undefined) setChosen(undefined);
  };
  return (
    <label className={styles.line} title="The server indexes files as they change">
      <input
        type="checkbox"
        role="switch"
        className={styles.switch}
        checked={isOn}
        aria-checked={isOn}
        disabled={chosen !== undefined && chosen !== isWatched}
        onChange={({ target }) => void choose(target.checked)}
      />
      Keep current
    </label>
  );
}
