import { Check, Inbox as InboxIcon, ShieldCheck, ShieldOff, Trash2 } from 'lucide-react';
import { useRoute } from '../../../app/use-route.ts';
import { notify } from '../../../app/toasts.tsx';
import { Button } from '../../../components/button.tsx';
import { confirm } from '../../../components/confirm.tsx';
import { Empty } from '../../../components/empty.tsx';
import { counted, day } from '../../../components/format.ts';
import { MemoryChips } from '../../../components/memory-chips.tsx';
import { memoryTitle } from '../../../components/memory-title.ts';
import { Problem } from '../../../components/problem.tsx';
import { distrust } from '../../../mutations/distrust.ts';
import { callTool } from '../../../mutations/mutations.ts';
import { useCanEdit, useSource } from '../../../source/source-context.tsx';
import type { Source } from '../../../source/source.ts';
import { useTool } from '../../../source/use-tool.ts';
import upkeep from '../graph-cleanup/graph-cleanup.module.css';
import cards from '../memory-card.module.css';
import styles from './inbox.module.css';
import {
  type Folder,
  folderTitle,
  isTrustable,
  originTitle,
  rejectionText,
  waitingCount,
  type WaitingMemory,
  whyItWaits,
} from './inbox-model.ts';

const MAX_LISTED = 200;

/** Memories that wait for review, because of the origin that wrote, pinned or changed them. */
export function Inbox() {
  const source = useSource();
  const canEdit = useCanEdit();
  const { data, error, reload } = useTool('explore_inbox', { limit: MAX_LISTED });
  const { memories = [], origins = [], trusted = [], folders = [], total = 0 } = data ?? {};
  return (
    <div className={upkeep.panel} aria-busy={data === undefined && error === undefined}>
      <div className={upkeep.head}>
        <p className={upkeep.note}>
          Memories wait here if they were imported, if a client pinned them or put them in tier l0, or if a client or a
          hook stored them outside the domain of its project, where hooks would show them to others. Until you accept
          them, hooks show them only in the project where they were written. A folder that has the name of another
          folder&apos;s project waits, too: hooks withhold the project&apos;s memories there.
          {total > memories.length && ` The first ${memories.length} of ${total.toLocaleString('en')}.`}
        </p>
      </div>
      {error !== undefined && <Problem problem={error} onRetry={reload} />}
      {data !== undefined && waitingCount(data) === 0 && (
        <Empty icon={InboxIcon} title="The inbox is empty">
          <p>Every memory was confirmed, or comes from an origin that you trust.</p>
        </Empty>
      )}
      {(origins.length > 0 || trusted.length > 0) && (
        <ul className={styles.origins} aria-label="Origins">
          {origins.map(({ label, waiting }) => (
            <li key={label}>
              <span title={label}>{originTitle(label)}</span>
              <span className={upkeep.note}>{counted(waiting, 'memory', 'memories')}</span>
              {canEdit && isTrustable(label) && (
                <Button icon={ShieldCheck} onPress={() => void trust(source, label, waiting)}>
                  Trust this origin
                </Button>
              )}
            </li>
          ))}
          {trusted.map((label) => (
            <li key={label}>
              <span title={label}>{originTitle(label)}</span>
              <span className={upkeep.note}>trusted</span>
              {canEdit && (
                <Button icon={ShieldOff} onPress={() => void distrust(source, label, originTitle(label))}>
                  Distrust
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {folders.length > 0 && (
        <ul className={styles.origins} aria-label="Folders of projects">
          {folders.map((folder) => (
            <FolderItem key={folder.label} folder={folder} />
          ))}
        </ul>
      )}
      {memories.map((memory) => (
        <WaitingCard key={memory.id} memory={memory} />
      ))}
    </div>
  );
}

function FolderItem({ folder }: { readonly folder: Folder }) {
  const source = useSource();
  const canEdit = useCanEdit();
  const { label, confirmed, since } = folder;
  return (
    <li>
      <span title={label}>{folderTitle(folder)}</span>
      <span className={upkeep.note}>
        {confirmed ? 'gets the memories of the project' : 'waits'}, first used {day(since)}
      </span>
      {canEdit && !confirmed && (
        <Button icon={ShieldCheck} onPress={() => void confirmFolder(source, folder)}>
          Confirm this folder
        </Button>
      )}
      {canEdit && confirmed && (
        <Button icon={ShieldOff} onPress={() => void distrust(source, label, folderTitle(folder))}>
          Distrust
        </Button>
      )}
    </li>
  );
}

function WaitingCard({ memory }: { readonly memory: WaitingMemory }) {
  const source = useSource();
  const canEdit = useCanEdit();
  const { hrefOf } = useRoute();
  const { id, content, domain } = memory;
  return (
    <article className={`${cards.frame} ${cards.card}`} aria-label={memoryTitle(content)}>
      <div className={styles.text}>
        <a href={hrefOf({ selection: { kind: 'memory', id } })}>{content}</a>
      </div>
      <p className={upkeep.note}>{whyItWaits(memory)}</p>
      <MemoryChips memory={memory} domain={domain} />
      {canEdit && (
        <div className={cards.actions}>
          <Button variant="primary" icon={Check} onPress={() => void accept(source, memory)}>
            Accept
          </Button>
          <Button variant="danger" icon={Trash2} onPress={() => void reject(source, memory)}>
            Reject
          </Button>
        </div>
      )}
    </article>
  );
}

async function accept(source: Source, { id, content }: WaitingMemory): Promise<void> {
  if ((await callTool(source, 'review_inbox', { accept: [id] })) === undefined) return;
  notify({ text: 'Accepted', detail: memoryTitle(content) });
}

async function reject(source: Source, { id, content }: WaitingMemory): Promise<void> {
  const isSure = await confirm({
    title: 'Reject this memory?',
    text: 'It is deleted permanently. If it existed before the origin changed it, it gets back the state that it had before; its history keeps the rejected text.',
    action: 'Reject',
    isDanger: true,
  });
  if (!isSure) return;
  const answer = await callTool(source, 'review_inbox', { reject: [id] });
  if (answer === undefined) return;
  notify({ text: rejectionText(answer), detail: memoryTitle(content) });
}

async function confirmFolder(source: Source, folder: Folder): Promise<void> {
  const isSure = await confirm({
    title: `Is this the project ${folder.project}?`,
    text: `Hooks then return the memories of the project in this folder (${folder.digest}), and those written here in its other folders. Confirm only a folder that you know: a repository chooses its name itself.`,
    action: 'Confirm',
  });
  if (!isSure) return;
  const { label } = folder;
  if ((await callTool(source, 'review_inbox', { trust: [label] })) === undefined) return;
  const undo = (): void => void callTool(source, 'review_inbox', { distrust: [label] });
  notify({ text: `Confirmed ${folderTitle(folder)}`, action: { label: 'Undo', run: undo } });
}

async function trust(source: Source, label: string, waiting: number): Promise<void> {
  const isSure = await confirm({
    title: `Trust ${originTitle(label)}?`,
    text: `Confirms ${counted(waiting, 'memory', 'memories')}, and what it writes from now on.${
      label.startsWith('client:') ? ' Clients choose their own names.' : ''
    }`,
    action: 'Trust',
  });
  if (!isSure) return;
  if ((await callTool(source, 'review_inbox', { trust: [label] })) === undefined) return;
  const undo = (): void => void callTool(source, 'review_inbox', { distrust: [label] });
  notify({ text: `Trusted ${originTitle(label)}`, action: { label: 'Undo', run: undo } });
}
