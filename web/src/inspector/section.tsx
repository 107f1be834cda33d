import type { ReactNode } from 'react';
import styles from './section.module.css';

interface Props {
  readonly title: string;
  readonly count?: number;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of an inspector, under a heading that stays in sight. */
export function Section({ title, count, actions, children }: Props) {
  return (
    <section className={styles.section} aria-label={title}>
      <div className={styles.heading}>
        <h3>
          {title}
          {count !== undefined && <span className={styles.count}>{count.toLocaleString('en')}</span>}
        </h3>
        {actions}
      </div>
      {children}
    </section>
  );
}
