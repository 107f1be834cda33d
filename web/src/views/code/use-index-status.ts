import { useEffect } from 'react';
import { useSource, useStore } from '../../source/source-context.tsx';
import type { Output } from '../../source/tools.ts';
import { useTool } from '../../source/use-tool.ts';
import { statusText } from './index-status.ts';

/** Interval at which the status of a project is polled while it is indexed: the server does not announce progress. */
const INDEXING_MILLIS = 1000;
/** Interval while the server watches the project's files, which it indexes without being asked. */
const WATCHED_MILLIS = 3000;

interface IndexStatus {
  readonly status: Output<'get_index_status'> | undefined;
  /** Changes whenever more files are indexed; empty until it is known. */
  readonly version: string;
}

/** The progress of a project, kept up to date. */
export function useIndexStatus(project: string): IndexStatus {
  const { data, error, reload } = useTool('get_index_status', { project_id: project });
  // The former answer stays after an error; a project that fails is not polled.
  const status = error === undefined ? data : undefined;
  const interval =
    status?.status === 'indexing' ? INDEXING_MILLIS : status?.watched === true ? WATCHED_MILLIS : undefined;
  useEffect(() => {
    if (interval === undefined) return undefined;
    const timer = setInterval(reload, interval);
    return () => clearInterval(timer);
  }, [interval, reload]);
  return {
    status,
    version:
      status === undefined ? '' : `${status.completed_at ?? ''} ${status.indexed_files} ${status.total_chunks ?? 0}`,
  };
}

/** The status of a project's index as text; empty until it is known. */
export function useStatusText(status: Output<'get_index_status'> | undefined): string {
  const source = useSource();
  const { encoder } = useStore(source.status);
  // The statistics of a server show whether it has an encoder.
  const isUnknown = encoder === undefined && (status?.pending_embeddings ?? 0) > 0;
  const { data } = useTool('explore_stats', isUnknown ? {} : undefined);
  if (status === undefined) return '';
  const hasEncoder = isUnknown ? data === undefined || data.encoder !== undefined : encoder?.state !== 'failed';
  // The index of a folder that the page has opened gets no embeddings.
  return statusText(status, hasEncoder && source.code === undefined);
}
