import { SymbolIcon } from './symbol-icon.tsx';
import styles from './symbol-line.module.css';

interface Props {
  readonly href: string;
  readonly type: string;
  readonly name: string;
  /** Additional text, such as the signature. */
  readonly detail?: string;
  /** Path and line. */
  readonly place: string;
  /** Whether the relation to it is not certain. */
  readonly isLikely?: boolean;
}

/** A symbol as a line of a list. */
export function SymbolLine({ href, type, name, detail, place, isLikely = false }: Props) {
  return (
    <a className={styles.line} href={href}>
      <span className={styles.head}>
        <SymbolIcon type={type} />
        <b>{name}</b>
        {isLikely && (
          <span className={styles.likely} title="By a name that only one symbol of the project has">
            likely
          </span>
        )}
        <span className={styles.place} title={place}>
          <bdi>{place}</bdi>
        </span>
      </span>
      {detail !== undefined && detail !== '' && <code className={styles.detail}>{detail}</code>}
    </a>
  );
}
