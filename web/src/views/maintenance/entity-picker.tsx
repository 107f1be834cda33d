import type { ReactNode } from 'react';
import { ListBox, ListBoxItem } from 'react-aria-components';
import { useRoute } from '../../app/use-route.ts';
import styles from './entity-picker.module.css';

export interface PickerEntry {
  readonly name: string;
  /** Why it is in the list. */
  readonly detail: string;
}

interface Props {
  readonly label: string;
  /** `undefined` while loading. */
  readonly entries: readonly PickerEntry[] | undefined;
  readonly chosen: string | undefined;
  /** Content above and below the list. */
  readonly children?: ReactNode;
}

/** A list of maintenance candidates, beside the editor of the selected one. */
export function EntityPicker({ label, entries, chosen, children }: Props) {
  const { go } = useRoute();
  if (entries === undefined) return <div className={styles.picker} aria-busy />;
  return (
    <div className={styles.picker}>
      <ListBox
        className={styles.list}
        aria-label={label}
        items={entries.map((entry) => ({ ...entry, id: entry.name }))}
        selectionMode="single"
        selectionBehavior="replace"
        disallowEmptySelection
        selectedKeys={chosen === undefined ? [] : [chosen]}
        onSelectionChange={(keys) => {
          if (keys !== 'all') go({ params: { entity: [...keys].map(String)[0] } });
        }}
      >
        {({ name, detail }) => (
          <ListBoxItem id={name} textValue={name} className={styles.entry}>
            <span className={styles.name}>{name}</span>
            <span className={styles.detail}>{detail}</span>
          </ListBoxItem>
        )}
      </ListBox>
      {children}
    </div>
  );
}
