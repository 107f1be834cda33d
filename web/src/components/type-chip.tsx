import { useStore } from '../source/source-context.tsx';
import { shownTheme } from '../app/theme.ts';
import styles from './type-chip.module.css';
import { colorOf, typeColors } from './type-color.ts';

/** The type of an entity, with its colour. */
export function TypeChip({ type }: { readonly type: string }) {
  const shown = useStore(shownTheme);
  useStore(typeColors);
  return (
    <span className={styles.chip}>
      <span className={styles.dot} style={{ background: colorOf(type, shown) }} aria-hidden />
      {type}
    </span>
  );
}
