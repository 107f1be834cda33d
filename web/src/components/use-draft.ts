/** The text of a field while it is edited, beside the stored text, which another client may change meanwhile. */
import { useState } from 'react';
import { unescapedEdit } from './hidden-characters.ts';
import { notifyUnsaved, useIsGone, useUnsaved } from './unsaved.ts';

interface Editing {
  readonly text: string;
  /** The stored text that the edit began with. */
  readonly base: string;
  /** The stored text before the edit was saved, which the page may still show. */
  readonly former?: string;
}

export interface Draft {
  /** The text in the field; `undefined` while it is closed. */
  readonly text: string | undefined;
  /** Whether the text differs from the stored one that it began with. */
  readonly isTyped: boolean;
  /** The stored text if another client has changed it since the edit began, and the text differs from it. */
  readonly theirs: string | undefined;
  readonly open: () => void;
  readonly type: (text: string) => void;
  readonly close: () => void;
  /**
   * Saves, then closes the field; it stays open on failure, and with text that was typed meanwhile. Returns whether
   * that succeeded.
   */
  readonly save: (text: string, onSave: (text: string) => Promise<boolean>) => Promise<boolean>;
}

/**
 * An edit of a stored text. A text that nobody typed follows the stored one.
 *
 * @param isEscaped whether `stored` is as a tool has escaped it, see `hidden-characters.ts`.
 */
export function useDraft(stored: string, isEscaped: boolean): Draft {
  const [state, setState] = useState<Editing>();
  const [isSaving, setSaving] = useState(false);
  const isGone = useIsGone();
  const editing = state !== undefined && state.text === state.base ? { text: stored, base: stored } : state;
  const isTyped = editing !== undefined && editing.text !== editing.base;
  const isKnown = editing !== undefined && [editing.base, editing.former, editing.text.trim()].includes(stored);
  const isTheirs = isTyped && !isSaving && !isKnown;
  useUnsaved(isTyped && !isSaving ? editing.text : undefined);
  const save = async (text: string, onSave: (text: string) => Promise<boolean>): Promise<boolean> => {
    setSaving(true);
    const former = editing?.base ?? '';
    const isSaved = await onSave(isEscaped ? unescapedEdit(former, text) : text);
    setSaving(false);
    if (isSaved)
      setState((now) =>
        now === undefined || now.text.trim() === text ? undefined : { text: now.text, base: text, former },
      );
    else if (isGone()) notifyUnsaved(text);
    return isSaved;
  };
  return {
    text: editing?.text,
    isTyped,
    theirs: isTheirs ? stored : undefined,
    open: () => setState({ text: stored, base: stored }),
    type: (text) => setState({ base: stored, ...editing, text }),
    close: () => setState(undefined),
    save,
  };
}
