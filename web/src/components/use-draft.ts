/** The text of a field while it is edited, beside the stored text, which another client may change meanwhile. */
import { useState } from 'react';
import { unescapedEdit } from './hidden-characters.ts';
import { notifyUnsaved, useIsGone, useUnsaved } from './unsaved.ts';

interface Editing {
  readonly text: string;
  /** The stored text that the edit began with. */
  readonly base: string;
}

export interface Draft {
  /** The text in the field; `undefined` while it is closed. */
  readonly text: string | undefined;
  /** Whether the text differs from the stored one that it began with. */
  readonly isTyped: boolean;
  readonly isSaving: boolean;
  /** The stored text if another client has changed it since the edit began, and the text differs from it. */
  readonly theirs: string | undefined;
  readonly open: () => void;
  readonly type: (text: string) => void;
  readonly close: () => void;
  /** Saves, then closes the field; it stays open on failure. Returns whether that succeeded. */
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
  const isTheirs = isTyped && !isSaving && stored !== editing.base && stored !== editing.text.trim();
  useUnsaved(isTyped && !isSaving ? editing.text : undefined);
  const save = async (text: string, onSave: (text: string) => Promise<boolean>): Promise<boolean> => {
    setSaving(true);
    const isSaved = await onSave(isEscaped ? unescapedEdit(editing?.base ?? '', text) : text);
    setSaving(false);
    if (isSaved) setState(undefined);
    else if (isGone()) notifyUnsaved(text);
    return isSaved;
  };
  return {
    text: editing?.text,
    isTyped,
    isSaving,
    theirs: isTheirs ? stored : undefined,
    open: () => setState({ text: stored, base: stored }),
    type: (text) => setState({ text, base: editing?.base ?? stored }),
    close: () => setState(undefined),
    save,
  };
}
