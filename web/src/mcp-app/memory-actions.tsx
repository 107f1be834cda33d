import { Check, PencilLine, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { notify } from '../app/toasts.tsx';
import { useRoute } from '../app/use-route.ts';
import { Button } from '../components/button.tsx';
import { confirm } from '../components/confirm.tsx';
import { isComposing } from '../components/is-composing.ts';
import { memoryTitle } from '../components/memory-title.ts';
import { useDraft } from '../components/use-draft.ts';
import { updateMemory } from '../mutations/memories.ts';
import { callTool } from '../mutations/mutations.ts';
import { useSource } from '../source/source-context.tsx';
import type { RecalledMemory } from '../views/search/recall-model.ts';
import styles from './mcp-app.module.css';

/** Texts of the audit log. */
const REASONS = { approve: 'approved by the user', correct: 'corrected by the user', forget: 'asked by the user' };

/** The actions on a recalled memory: approve, correct or delete it. */
export function MemoryActions({ memory: { id, content } }: { readonly memory: RecalledMemory }) {
  const source = useSource();
  const { route, go } = useRoute();
  const draft = useDraft(content, true);
  const [isBusy, setBusy] = useState(false);
  const during = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    await work();
    setBusy(false);
  };
  const approve = async (): Promise<void> => {
    const isDone = await updateMemory(source, id, { confidence: 1, reason: REASONS.approve });
    if (isDone) notify({ text: 'Approved: its confidence is 1', detail: memoryTitle(content) });
  };
  const correct = async (): Promise<void> => {
    const text = (draft.text ?? '').trim();
    if (!draft.isTyped || text === content) draft.close();
    else await draft.save(text, (next) => updateMemory(source, id, { content: next, reason: REASONS.correct }));
  };
  const forget = async (): Promise<void> => {
    const isSure = await confirm({
      title: 'Delete this memory?',
      text: `“${memoryTitle(content)}” is deleted with its links and history. This cannot be undone.`,
      action: 'Delete',
      isDanger: true,
    });
    if (!isSure) return;
    const isDone = (await callTool(source, 'memory_forget', { id, reason: REASONS.forget })) !== undefined;
    if (isDone && route.selection?.id === id) go({ selection: null });
  };
  if (draft.text !== undefined) {
    return (
      <form
        className={styles.correction}
        onSubmit={(event) => {
          event.preventDefault();
          void during(correct);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && !isComposing(event)) draft.close();
        }}
      >
        <textarea
          aria-label="Corrected text"
          autoFocus
          rows={3}
          value={draft.text}
          onChange={({ target }) => draft.type(target.value)}
        />
        {draft.theirs !== undefined && (
          <p role="alert">
            Changed meanwhile to: <q>{draft.theirs}</q> Save replaces it.
          </p>
        )}
        <div className={styles.actions}>
          <Button onPress={draft.close}>Cancel</Button>
          <Button variant="primary" type="submit" isDisabled={isBusy || draft.text.trim() === ''}>
            Save
          </Button>
        </div>
      </form>
    );
  }
  return (
    <div className={styles.actions}>
      <Button variant="quiet" icon={Check} isDisabled={isBusy} onPress={() => void during(approve)}>
        Approve
      </Button>
      <Button variant="quiet" icon={PencilLine} isDisabled={isBusy} onPress={draft.open}>
        Correct
      </Button>
      <Button variant="quiet" icon={Trash2} isDisabled={isBusy} onPress={() => void during(forget)}>
        Forget
      </Button>
    </div>
  );
}
