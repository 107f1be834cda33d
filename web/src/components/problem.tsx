import { CircleAlert } from 'lucide-react';
import type { ToolError } from '../source/tools.ts';
import { Button } from './button.tsx';
import styles from './problem.module.css';

interface Props {
  readonly problem: ToolError;
  readonly onRetry?: () => void;
  readonly retryLabel?: string;
}

/** Shows a tool's error in place. */
export function Problem({ problem, onRetry, retryLabel = 'Try again' }: Props) {
  return (
    <div className={styles.problem} role="alert">
      <CircleAlert size={16} aria-hidden />
      <div>
        <p>{problem.error}</p>
        {problem.hint !== undefined && <p className={styles.hint}>{problem.hint}</p>}
        <p className={styles.code}>{problem.code}</p>
      </div>
      {onRetry !== undefined && <Button onPress={onRetry}>{retryLabel}</Button>}
    </div>
  );
}
