import { type ReactNode, useEffect, useRef } from 'react';
import styles from './section.module.css';

interface Props {
  readonly title: string;
  readonly count?: number;
  readonly actions?: ReactNode;
  /** Whether the address names it: it is scrolled into view. */
  readonly isAsked?: boolean;
  readonly children: ReactNode;
}

/** A section of an inspector with a sticky heading. */
export function Section({ title, count, actions, isAsked = false, children }: Props) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isAsked) section.current?.scrollIntoView({ block: 'start' });
  }, [isAsked]);
  return (
    <section ref={section} className={styles.section} aria-label={title}>
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
