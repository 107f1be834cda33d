import type { LucideIcon } from 'lucide-react';
import type { Source } from '../../source/source.ts';

/** An action on selected rows. */
export interface Action<R> {
  readonly title: string;
  readonly icon: LucideIcon;
  readonly isDanger?: boolean;
  /** Whether it shows its own dialog. */
  readonly asks?: boolean;
  /** Whether the action applies to a row. */
  fits(row: R): boolean;
  /** Runs the action and reports the result. Returns whether it was done. */
  run(source: Source, rows: readonly R[]): Promise<boolean>;
}
