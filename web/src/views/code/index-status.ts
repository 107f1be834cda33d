/** The progress of an index in words. */
import { counted } from '../../components/format.ts';
import type { Output } from '../../source/tools.ts';

type Status = Output<'get_index_status'>;

const SECONDS_PER_MINUTE = 60;

/**
 * The status of a project's index, in one line. `hasEncoder`: whether texts that wait for an embedding get one.
 */
export function statusText(status: Status, hasEncoder: boolean): string {
  if (status.status === 'failed') return `Indexing failed: ${status.error_message ?? 'unknown reason'}`;
  if (status.status === 'indexing') {
    if (status.total_files === 0) return 'Looking for files…';
    if (status.pending_files === 0) return 'Resolving references…';
    const left = status.eta_seconds === undefined ? '' : `, ${timeLeft(status.eta_seconds)} left`;
    return `Indexing ${counted(status.indexed_files, 'file')} of ${status.total_files.toLocaleString('en')}${left}`;
  }
  const indexed = `${counted(status.total_files, 'file')} indexed`;
  if (status.pending_embeddings === 0) return indexed;
  if (!hasEncoder) return `${indexed} for keyword search`;
  return `${indexed}, ${counted(status.pending_embeddings, 'embedding')} pending`;
}

function timeLeft(seconds: number): string {
  return seconds < SECONDS_PER_MINUTE ? `${seconds} s` : `${Math.round(seconds / SECONDS_PER_MINUTE)} min`;
}
