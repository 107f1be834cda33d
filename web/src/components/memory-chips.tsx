import { CategoryChip } from './category-chip.tsx';
import { counted } from './format.ts';
import styles from './memory-chips.module.css';

interface Props {
  readonly memory: {
    readonly category: string;
    readonly subject?: string;
    readonly tier: string;
    readonly heat: string;
    readonly tags?: readonly string[];
    readonly user_id?: string;
    /** `undefined` if unknown. */
    readonly status?: string | undefined;
  };
  /** Shown if given. */
  readonly domain?: string | undefined;
}

const MAX_TAGS = 4;

/** Category, type, status and other properties of a memory. */
export function MemoryChips({
  memory: { category, subject = '', tier, heat, tags = [], user_id: user, status },
  domain,
}: Props) {
  return (
    <ul className={styles.chips} aria-label="Properties">
      {status !== undefined && status !== 'current' && (
        <li className={styles.status} data-status={status}>
          {status}
        </li>
      )}
      <li>
        <CategoryChip category={category} />
      </li>
      {subject !== '' && <li>{subject}</li>}
      <li title="Tier">{tier}</li>
      <li title="Heat" data-heat={heat}>
        {heat}
      </li>
      {domain !== undefined && <li title="Domain">in {domain}</li>}
      {user !== undefined && <li title="User">of {user}</li>}
      {tags.slice(0, MAX_TAGS).map((tag) => (
        <li key={tag}>#{tag}</li>
      ))}
      {tags.length > MAX_TAGS && (
        <li title={tags.slice(MAX_TAGS).join(', ')}>and {counted(tags.length - MAX_TAGS, 'more tag')}</li>
      )}
    </ul>
  );
}
