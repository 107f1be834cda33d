import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { shownTheme } from '../../app/theme.ts';
import { colorAt } from '../../parts/type-color.ts';
import { useStore } from '../../source/source-context.tsx';
import styles from './legend.module.css';
import { SERIES, type SeriesId } from './series.ts';

interface Props {
  readonly totals: Readonly<Record<SeriesId, number>> | undefined;
  readonly hidden: ReadonlySet<SeriesId>;
  readonly onHidden: (hidden: ReadonlySet<SeriesId>) => void;
}

/** What the colours mean; each can be left out, of the bars and of the list. */
export function Legend({ totals, hidden, onHidden }: Props) {
  const shown = useStore(shownTheme);
  return (
    <ToggleButtonGroup
      className={styles.legend}
      aria-label="Shown kinds of events"
      selectionMode="multiple"
      selectedKeys={SERIES.map(({ id }) => id).filter((id) => !hidden.has(id))}
      onSelectionChange={(keys) => onHidden(new Set(SERIES.map(({ id }) => id).filter((id) => !keys.has(id))))}
    >
      {SERIES.map(({ id, title }, place) => (
        <ToggleButton key={id} id={id} className={styles.series}>
          <span className={styles.swatch} style={{ '--swatch': colorAt(place, shown) } as React.CSSProperties} aria-hidden />
          {title}
          <span className={styles.count}>{totals?.[id].toLocaleString('en')}</span>
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
