import { useRoute } from '../../app/use-route.ts';
import { counted } from '../../components/format.ts';
import { TypeChip } from '../../components/type-chip.tsx';
import type { Output } from '../../source/tools.ts';
import { Section } from '../section.tsx';
import lines from '../line.module.css';
import styles from './lists.module.css';

interface Props {
  readonly entities: Output<'explore_memory'>['entities'];
  readonly omitted: number | undefined;
}

/** The entities that a memory is about: linked explicitly, or found in its text. */
export function Mentions({ entities, omitted = 0 }: Props) {
  const { hrefOf } = useRoute();
  if (entities.length === 0) return null;
  return (
    <Section title="Mentions" count={entities.length + omitted}>
      <ul>
        {entities.map(({ id, name, entityType, given }) => (
          <li key={id} className={styles.item}>
            <div className={lines.text}>
              <a href={hrefOf({ selection: { kind: 'entity', id: name } })}>{name}</a>{' '}
              {given && <span className={lines.type}>linked explicitly</span>}
            </div>
            <TypeChip type={entityType} />
          </li>
        ))}
      </ul>
      {omitted > 0 && <p className={styles.more}>and {counted(omitted, 'more entity', 'more entities')}</p>}
    </Section>
  );
}
