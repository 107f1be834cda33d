import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './empty.module.css';

interface Props {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children?: ReactNode;
}

/** A placeholder for an empty view, with suggested actions. */
export function Empty({ icon: Icon, title, children }: Props) {
  return (
    <div className={styles.empty}>
      <Icon size={28} strokeWidth={1.4} aria-hidden />
      <h2>{title}</h2>
      {children}
    </div>
  );
}
