import type { LucideIcon } from 'lucide-react';
import type { Source } from '../../source/source.ts';

/** What can be done with marked rows of a kind, by way of tools. */
export interface Action<R> {
  readonly title: string;
  readonly icon: LucideIcon;
  readonly isDanger?: boolean;
  /** Whether it asks by itself before it does anything. */
  readonly asks?: boolean;
  /** Whether a row is one that this can be done with. */
  fits(row: R): boolean;
  /** Does it and says what came of it; answers whether it was done. */
  run(source: Source, rows: readonly R[]): Promise<boolean>;
}
