import { X } from 'lucide-react';
import { useEffect } from 'react';
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
import { useStore } from '../source/source-context.tsx';
import { createStore } from '../source/store.ts';
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

/** Whether the pointer or focus is on a toast. No toast expires meanwhile, and each has its whole time afterwards. */
const isHeld = createStore(false);

/** The queue's own timers would go on with the rest of their time, and start for a toast that arrives meanwhile. */
class HoldingQueue extends ToastQueue<ToastMessage> {
  override pauseAll(): void {
    isHeld.set(true);
  }

  override resumeAll(): void {
    isHeld.set(false);
  }
}

const queue = new HoldingQueue({ maxVisibleToasts: 4 });
queue.subscribe(() => {
  // A toast that is gone holds no others.
  if (queue.visibleToasts.length === 0) isHeld.set(false);
});

/** Shows a toast. Errors stay until they are closed. */
export function notify(message: ToastMessage): void {
  queue.add(message);
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
          {toast.content.isError !== true && toast.content.stays !== true && <Expiry toast={toast.key} />}
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

/** Closes a toast after its time. */
function Expiry({ toast }: { readonly toast: string }) {
  const isWaiting = useStore(isHeld);
  useEffect(() => {
    if (isWaiting) return undefined;
    const timer = setTimeout(() => queue.close(toast), TOAST_MILLIS);
    return () => clearTimeout(timer);
  }, [toast, isWaiting]);
  return null;
}
