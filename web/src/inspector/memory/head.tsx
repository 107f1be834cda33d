import { Network, Pin, Trash2 } from 'lucide-react';
import { useRoute } from '../../app/use-route.ts';
import { canImportRecords } from '../../mutations/undo-snapshot.ts';
import { deleteMemories, updateMemory } from '../../mutations/memories.ts';
import { confirmDelete } from '../../mutations/memory-dialogs.ts';
import { IconButton } from '../../components/button.tsx';
import { CategoryChip } from '../../components/category-chip.tsx';
import { EditableText } from '../../components/editable-text.tsx';
import { memoryTitle } from '../../components/memory-title.ts';
import { useCanEdit, useSource } from '../../source/source-context.tsx';
import type { Output } from '../../source/tools.ts';
import { paramsAround } from '../../views/graph/graph-url-state.ts';
import styles from './memory-inspector.module.css';

export type Memory = Output<'explore_memory'>['memory'];

/** The text of a memory and the actions on it. */
export function Head({ memory }: { readonly memory: Memory }) {
  const { id, content, category, status, pinned } = memory;
  const source = useSource();
  const canEdit = useCanEdit();
  const { route, go } = useRoute();
  const forget = async (): Promise<void> => {
    // A deletion that can be undone completely needs no confirmation.
    const isGone = await (canImportRecords(source) ? deleteMemories(source, [id]) : confirmDelete(source, [memory]));
    if (isGone) go({ selection: null });
  };
  return (
    <header className={styles.head}>
      <h2 className="visually-hidden">{memoryTitle(content)}</h2>
      <div className={styles.bar}>
        <CategoryChip category={category} />
        {status !== 'current' && (
          <span className={styles.status} data-status={status}>
            {status}
          </span>
        )}
        <span className={styles.space} />
        <IconButton
          icon={Network}
          label="Show in graph"
          onPress={() => go({ view: 'graph', params: paramsAround(route, { kind: 'memory', id }) })}
        />
        {canEdit && (
          <IconButton
            icon={Pin}
            label={pinned ? 'Pinned: exempt from decay and pruning. Unpin' : 'Pin: exempt from decay and pruning'}
            isOn={pinned}
            onPress={() => void updateMemory(source, id, { pinned: !pinned })}
          />
        )}
        {canEdit && <IconButton icon={Trash2} label="Delete memory" onPress={() => void forget()} />}
      </div>
      <div className={styles.text}>
        <EditableText
          label="Text"
          text={content}
          onSave={(text) => updateMemory(source, id, { content: text })}
          isLong
          isEscaped
        />
      </div>
    </header>
  );
}
