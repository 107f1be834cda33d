import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { shownTheme } from '../../app/theme.ts';
import { colorAt } from '../../components/type-color.ts';
import { useStore } from '../../source/source-context.tsx';
import styles from './legend.module.css';
import { type BarId, type RecordGroup, SERIES, type SeriesId } from './series.ts';

interface Props {
  readonly totals: Readonly<Record<BarId, number>> | undefined;
  readonly hidden: ReadonlySet<SeriesId>;
  readonly onHidden: (hidden: ReadonlySet<SeriesId>) => void;
}

const GROUPS: readonly { readonly id: RecordGroup; readonly title: string }[] = [
  { id: 'entities', title: 'Entity event types' },
  { id: 'memories', title: 'Memory event types' },
];

/** The legend of the colours, in which each series can be hidden in the chart and the list. */
export function Legend({ totals, hidden, onHidden }: Props) {
  return (
    <div className={styles.legends}>
      {GROUPS.map(({ id, title }) => (
        <GroupLegend key={id} group={id} title={title} totals={totals} hidden={hidden} onHidden={onHidden} />
      ))}
    </div>
  );
}

function GroupLegend({
  group,
  title: label,
  totals,
  hidden,
  onHidden,
}: Props & { readonly group: RecordGroup; readonly title: string }) {
  const shown = useStore(shownTheme);
  const counts: Partial<Readonly<Record<SeriesId, number>>> = totals ?? {};
  const inRealm = SERIES.filter((series) => series.group === group).map(({ id }) => id);
  const change = (keys: Iterable<string | number>): void => {
    const chosen = new Set(keys);
    onHidden(
      new Set([...[...hidden].filter((id) => !inRealm.includes(id)), ...inRealm.filter((id) => !chosen.has(id))]),
    );
  };
  return (
    <ToggleButtonGroup
      className={styles.legend}
      aria-label={label}
      selectionMode="multiple"
      selectedKeys={inRealm.filter((id) => !hidden.has(id))}
      onSelectionChange={change}
    >
      {SERIES.map(
        (series, index) =>
          series.group === group && (
            <ToggleButton key={series.id} id={series.id} className={styles.series}>
              <span
                className={styles.swatch}
                style={{ '--swatch': colorAt(index, shown) } as React.CSSProperties}
                aria-hidden
              />
              {series.title}
              {series.lane !== undefined && (
                <span className={styles.count}>{counts[series.id]?.toLocaleString('en')}</span>
              )}
            </ToggleButton>
          ),
      )}
    </ToggleButtonGroup>
  );
}
