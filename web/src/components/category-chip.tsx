import { shownTheme } from '../app/theme.ts';
import { useStore } from '../source/source-context.tsx';
import styles from './type-chip.module.css';
import { categoryColors } from './type-color.ts';

/** The category of a memory, with its colour and the square that stands for a memory. */
export function CategoryChip({ category }: { readonly category: string }) {
  const shown = useStore(shownTheme);
  return (
    <span className={styles.chip}>
      <span
        className={`${styles.dot} ${styles.square}`}
        style={{ background: categoryColors.colorOf(category, shown) }}
        aria-hidden
      />
      {category}
    </span>
  );
}
