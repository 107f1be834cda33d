import { notifyError } from '../app/toasts.tsx';
import type { RouteChange } from '../app/route.ts';
import type { OpenedFolder, PageCode } from '../source/page-code.ts';

/** Indexes folders in the page, and shows the last one in the Code view. Errors are shown as toasts. */
export async function openCode(
  code: PageCode,
  folders: readonly OpenedFolder[],
  go: (change: RouteChange) => void,
): Promise<void> {
  for (const folder of folders) {
    const answer = await code.add(folder);
    if (!answer.ok) notifyError(answer.error);
    else go({ view: 'code', params: { project: answer.value.project_id } });
  }
}
