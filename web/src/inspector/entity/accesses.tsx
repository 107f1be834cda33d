import { useRoute } from '../../app/use-route.ts';
import { DayBars } from '../../components/day-bars.tsx';
import { counted } from '../../components/format.ts';
import type { Output } from '../../source/tools.ts';
import lines from '../line.module.css';
import { Section } from '../section.tsx';
import styles from './accesses.module.css';

/** The accesses and co-occurrences of an entity. */
export function AccessSection({
  data: { access, found_together, omitted },
}: {
  readonly data: Output<'explore_entity'>;
}) {
  const more = omitted?.found_together ?? 0;
  const { hrefOf } = useRoute();
  return (
    <>
      <Section title="Accesses by day" count={access.count}>
        <div className={styles.bars}>
          <DayBars days={access.days} label="Accesses" />
        </div>
      </Section>
      {found_together.length > 0 && (
        <Section title="Found in the same searches" count={found_together.length + more}>
          <ul className={styles.list}>
            {found_together.map(({ id, name, count }) => (
              <li key={id}>
                <a href={hrefOf({ selection: { kind: 'entity', id: name } })}>{name}</a>
                <span>{counted(count, 'time')}</span>
              </li>
            ))}
          </ul>
          {more > 0 && <p className={lines.omitted}>and {counted(more, 'more entity', 'more entities')}</p>}
        </Section>
      )}
    </>
  );
}
