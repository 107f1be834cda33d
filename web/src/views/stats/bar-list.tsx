import { withMeaning } from '../../components/format-values.ts';
import styles from './bar-list.module.css';
import { topOf } from './stats-model.ts';

interface Props {
  readonly title: string;
  readonly counts: readonly { readonly name: string; readonly count: number }[];
  readonly maxBars?: number;
  readonly hrefOf?: (name: string) => string;
}

const MAX_BARS = 8;

/** Names with bars. The numbers are shown as text as well, so the bars need no description. */
export function BarList({ title, counts, maxBars = MAX_BARS, hrefOf }: Props) {
  const { shares, rest, restCount } = topOf(counts, maxBars);
  return (
    <section className={styles.chart}>
      <h2>{title}</h2>
      {shares.length === 0 && <p className={styles.none}>None yet</p>}
      <ol>
        {shares.map(({ name, count, part }) => (
          <li key={name} className={styles.row}>
            <svg className={styles.bar} viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden>
              <rect width={Math.max(1, part * 100)} height={20} rx={1} />
            </svg>
            {hrefOf === undefined ? (
              <span className={styles.name} dir="auto">
                {withMeaning(name)}
              </span>
            ) : (
              <a className={styles.name} dir="auto" href={hrefOf(name)}>
                {withMeaning(name)}
              </a>
            )}
            <span className={styles.count}>{count.toLocaleString('en')}</span>
          </li>
        ))}
      </ol>
      {rest > 0 && (
        <p className={styles.none}>
          {rest.toLocaleString('en')} more: {restCount.toLocaleString('en')}
        </p>
      )}
    </section>
  );
}
