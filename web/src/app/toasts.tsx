import { X } from 'lucide-react';
import {
  Button as AriaButton,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components';
import { Button } from '../components/button.tsx';
import type { ToolError } from '../source/tools.ts';
import styles from './toasts.module.css';

interface ToastMessage {
  readonly text: string;
  readonly detail?: string;
  readonly isError?: boolean;
  /** Whether it stays until it is closed, as errors do. */
  readonly stays?: boolean;
  /** An action offered with the message. */
  readonly action?: { readonly label: string; readonly run: () => void };
}

const TOAST_MILLIS = 10_000;
const queue = new ToastQueue<ToastMessage>({ maxVisibleToasts: 4 });

/** Shows a toast. Errors stay until they are closed. */
export function notify(message: ToastMessage): void {
  queue.add(message, message.isError === true || message.stays === true ? {} : { timeout: TOAST_MILLIS });
}

/** Shows a tool's error as a toast, for calls without a place for it on the page. */
export function notifyError({ error, hint }: ToolError): void {
  notify({ text: error, detail: hint, isError: true });
}

export function Toasts() {
  return (
    <ToastRegion queue={queue} className={styles.region} aria-label="Notifications">
      {({ toast }) => (
        <Toast toast={toast} className={`${styles.toast} ${toast.content.isError === true ? styles.error : ''}`}>
          <ToastContent className={styles.content}>
            <Text slot="title">{toast.content.text}</Text>
            {toast.content.detail !== undefined && (
              <Text slot="description" className={styles.detail}>
                {toast.content.detail}
              </Text>
            )}
          </ToastContent>
          {toast.content.action !== undefined && (
            <Button
              onPress={() => {
                toast.content.action?.run();
                queue.close(toast.key);
              }}
            >
              {toast.content.action.label}
            </Button>
          )}
          <AriaButton slot="close" className={styles.close} aria-label="Close">
            <X size={14} aria-hidden />
          </AriaButton>
        </Toast>
      )}
    </ToastRegion>
  );
}
