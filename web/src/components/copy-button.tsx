import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { notify } from '../app/toasts.tsx';
import { IconButton } from './button.tsx';
import { writeToClipboard } from './clipboard.ts';

const SHOWN_MILLIS = 1500;

/** Copies text to the clipboard. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    if (await writeToClipboard(text())) {
      setCopied(true);
      setTimeout(() => setCopied(false), SHOWN_MILLIS);
    } else {
      notify({ text: 'The browser does not allow this page to write to the clipboard.', isError: true });
    }
  };
  return <IconButton icon={isCopied ? Check : Copy} label={isCopied ? 'Copied' : label} onPress={() => void copy()} />;
}
