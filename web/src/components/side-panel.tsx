import { type LucideIcon, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { IconButton } from './button.tsx';
import { isComposing } from './is-composing.ts';
import styles from './side-panel.module.css';

interface ToggleProps {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** The button that opens the side panel of a narrow view. */
export function SidePanelToggle({ icon, label, isOpen, onToggle }: ToggleProps) {
  const place = useRef<HTMLSpanElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    // The panel had the focus, and is hidden now.
    if (wasOpen.current && !isOpen) place.current?.querySelector('button')?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <span ref={place} className={styles.open}>
      <IconButton icon={icon} label={label} isOn={isOpen} onPress={onToggle} />
    </span>
  );
}

interface Props {
  /** As that of the button. */
  readonly label: string;
  readonly className?: string | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A panel beside the content. In a narrow view it covers the content and its own button while it is open. */
export function SidePanel({ label, className = '', isOpen, onClose, children }: Props) {
  const head = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOpen) head.current?.querySelector('button')?.focus();
  }, [isOpen]);
  return (
    <>
      <div
        className={`${styles.side} ${className}`}
        data-open={isOpen || undefined}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event) || !isOpen) return;
          event.preventDefault();
          onClose();
        }}
      >
        <div ref={head} className={styles.head}>
          {label}
          <IconButton icon={X} label={`Close: ${label}`} onPress={onClose} />
        </div>
        {children}
      </div>
      {isOpen && <div className={styles.cover} onClick={onClose} aria-hidden />}
    </>
  );
}
