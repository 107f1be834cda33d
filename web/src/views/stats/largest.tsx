import { useRoute } from '../../app/use-route.ts';
import { counted } from '../../components/format.ts';
import { TypeChip } from '../../components/type-chip.tsx';
import type { Output } from '../../source/tools.ts';
import styles from './stats-view.module.css';

/** The entities with the most observations. */
export function Largest({ rows }: { readonly rows: Output<'explore_stats'>['largest'] }) {
  const { hrefOf } = useRoute();
  return (
    <section className={styles.card}>
      <h2>Largest entities</h2>
      <ol className={styles.largest}>
        {rows.map(({ id, name, entityType, observations }) => (
          <li key={id}>
            <a dir="auto" href={hrefOf({ selection: { kind: 'entity', id: name } })}>
              {name}
            </a>
            <TypeChip type={entityType} />
            <span className={styles.note}>{counted(observations, 'observation')}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
