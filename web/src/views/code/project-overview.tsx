import { shownTheme } from '../../app/theme.ts';
import { bytesText, counted, fullTime } from '../../components/format.ts';
import { Problem } from '../../components/problem.tsx';
import { colorAt } from '../../components/type-color.ts';
import { useStore } from '../../source/source-context.tsx';
import type { Output } from '../../source/tools.ts';
import { useTool } from '../../source/use-tool.ts';
import { languageTitle } from './languages.ts';
import styles from './project-overview.module.css';
import { useStatusText } from './use-index-status.ts';
import { useReloadOn } from './use-reload-on.ts';

interface Props {
  readonly project: Output<'list_projects'>['projects'][number];
  readonly status: Output<'get_index_status'> | undefined;
  readonly version: string;
}

/** A project as a whole: languages, progress, and the files that were skipped. */
export function ProjectOverview({ project, status, version }: Props) {
  const { data, error, reload } = useTool('explore_code', { project_id: project.project_id, limit: 1 });
  useReloadOn(version, reload);
  const shown = useStore(shownTheme);
  const text = useStatusText(status);
  if (error !== undefined) return <Problem problem={error} onRetry={reload} />;
  const languages = data?.languages ?? [];
  const total = languages.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <div className={styles.overview}>
      <h2>{project.project_id}</h2>
      <p className={styles.path}>{project.path}</p>
      <section>
        <h3>Index</h3>
        <dl className={styles.pairs}>
          <dt>Status</dt>
          <dd>{text}</dd>
          {status?.watched === true && (
            <>
              <dt>Updates</dt>
              <dd>as files change</dd>
            </>
          )}
          <dt>Chunks</dt>
          <dd>{(status?.total_chunks ?? project.chunks).toLocaleString('en')}</dd>
          <dt>Symbols</dt>
          <dd>{project.symbols.toLocaleString('en')}</dd>
          {status?.completed_at !== undefined && (
            <>
              <dt>Completed</dt>
              <dd>{fullTime(status.completed_at)}</dd>
            </>
          )}
        </dl>
      </section>
      {languages.length > 0 && (
        <section>
          <h3>Languages</h3>
          <div className={styles.stack} aria-hidden>
            {languages.map(({ language, bytes }, index) => (
              <span
                key={language}
                style={{ width: `${(bytes / Math.max(1, total)) * 100}%`, background: colorAt(index, shown) }}
              />
            ))}
          </div>
          <ul className={styles.languages}>
            {languages.map(({ language, files, bytes }, index) => (
              <li key={language}>
                <span className={styles.dot} style={{ background: colorAt(index, shown) }} aria-hidden />
                <span>{languageTitle(language)}</span>
                <span>{counted(files, 'file')}</span>
                <span>{bytesText(bytes)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {status !== undefined && status.skipped_files > 0 && (
        <section>
          <h3>Skipped files</h3>
          <ul className={styles.skipped}>
            {status.skipped.map(({ file, why }) => (
              <li key={file}>
                <span>{file}</span>
                <span className={styles.why}>{why}</span>
              </li>
            ))}
          </ul>
          {status.skipped_files > status.skipped.length && (
            <p className={styles.why}>and {counted(status.skipped_files - status.skipped.length, 'more file')}</p>
          )}
        </section>
      )}
    </div>
  );
}
