/** The text of a field while it is edited, beside the stored text, which another client may change meanwhile. */
import { useEffect, useRef, useState } from 'react';
import { hasEscaped, unescaped } from './hidden-characters.ts';
import { notifyUnsaved, useUnsaved } from './unsaved.ts';

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

/** An edit of a stored text. A text that nobody typed follows the stored one. */
export function useDraft(stored: string): Draft {
  const [state, setState] = useState<Editing>();
  const [isSaving, setSaving] = useState(false);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  const editing = state !== undefined && state.text === state.base ? { text: stored, base: stored } : state;
  const isTyped = editing !== undefined && editing.text !== editing.base;
  const isTheirs = isTyped && !isSaving && stored !== editing.base && stored !== editing.text.trim();
  useUnsaved(isTyped && !isSaving ? editing.text : undefined);
  const save = async (text: string, onSave: (text: string) => Promise<boolean>): Promise<boolean> => {
    setSaving(true);
    // The field shows invisible characters escaped; a mark in a text without any was typed.
    const isSaved = await onSave(hasEscaped(editing?.base ?? '') ? unescaped(text) : text);
    setSaving(false);
    if (isSaved) setState(undefined);
    else if (isGone.current) notifyUnsaved(text);
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
