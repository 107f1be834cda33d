import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import styles from './segments.module.css';

interface Props<T extends string> {
  readonly label: string;
  readonly choices: readonly { readonly id: T; readonly title: string }[];
  readonly chosen: T;
  readonly onChoose: (id: T) => void;
}

/** A segmented control. */
export function Segments<T extends string>({ label, choices, chosen, onChoose }: Props<T>) {
  return (
    <ToggleButtonGroup
      className={styles.segments}
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[chosen]}
      onSelectionChange={(keys) => {
        const [key] = keys;
        if (key !== undefined) onChoose(String(key) as T);
      }}
    >
      {choices.map(({ id, title }) => (
        <ToggleButton key={id} id={id} className={styles.segment}>
          {title}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
