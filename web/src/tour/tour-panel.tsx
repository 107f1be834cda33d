import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button, IconButton } from '../components/button.tsx';
import { STEPS } from './steps.ts';
import { goTo, leaveTour } from './tour.ts';
import styles from './tour-panel.module.css';

/** A step of the tour in a corner of the page; only dialogs cover it. Escape closes it. */
export function TourPanel({ index }: { readonly index: number }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [index]);
  const step = STEPS[index];
  if (step === undefined) return null;
  const isLast = index === STEPS.length - 1;
  return (
    <aside
      className={styles.panel}
      aria-label="Guided tour"
      data-tour
      data-view={step.view}
      onKeyDown={(event) => {
        if (event.key === 'Escape') leaveTour(false);
      }}
    >
      <div className={styles.head}>
        <span className={styles.place}>
          Step {index + 1} of {STEPS.length}
        </span>
        <IconButton icon={X} label="Close the tour" onPress={() => leaveTour(false)} />
      </div>
      <h2 ref={heading} tabIndex={-1}>
        {step.title}
      </h2>
      <p className={styles.text} aria-live="polite">
        {step.text}
      </p>
      <div className={styles.actions}>
        <svg className={styles.dots} viewBox={`0 0 ${STEPS.length * 10} 6`} aria-hidden>
          {STEPS.map((_, dot) => (
            <circle key={dot} cx={dot * 10 + 3} cy={3} r={dot === index ? 3 : 2} data-on={dot === index || undefined} />
          ))}
        </svg>
        <Button variant="quiet" isDisabled={index === 0} onPress={() => goTo(index - 1)}>
          Back
        </Button>
        <Button variant="primary" onPress={() => (isLast ? leaveTour(true) : goTo(index + 1))}>
          {isLast ? 'Done' : 'Next'}
        </Button>
      </div>
    </aside>
  );
}
