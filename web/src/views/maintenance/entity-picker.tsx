import { ListBox, ListBoxItem } from 'react-aria-components';
import { useRoute } from '../../app/use-route.ts';
import { EntitySearch } from '../../components/entity-search.tsx';
import { useByKeys } from '../../components/use-by-keys.ts';
import layout from './layout.module.css';
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
  /** The heading of the search for an entity that is not in the list. */
  readonly otherTitle: string;
}

/** A list of maintenance candidates and a search for other entities, beside the editor of the selected one. */
export function EntityPicker({ label, entries, chosen, otherTitle }: Props) {
  const { go, adjust } = useRoute();
  const { isByKeys, props } = useByKeys();
  const select = (entity: string | undefined): void => go({ params: { entity } });
  /** A step with an arrow key needs no history entry. */
  const step = (entity: string | undefined): void => (isByKeys() ? adjust : go)({ params: { entity } });
  if (entries === undefined) return <div className={styles.picker} aria-busy />;
  return (
    <div className={styles.picker} {...props}>
      <ListBox
        className={styles.list}
        aria-label={label}
        items={entries.map((entry) => ({ ...entry, id: entry.name }))}
        selectionMode="single"
        selectionBehavior="replace"
        disallowEmptySelection
        selectedKeys={chosen === undefined ? [] : [chosen]}
        onSelectionChange={(keys) => {
          if (keys !== 'all') step([...keys].map(String)[0]);
        }}
      >
        {({ name, detail }) => (
          <ListBoxItem id={name} textValue={name} className={styles.entry}>
            <span className={styles.name}>{name}</span>
            <span className={styles.detail}>{detail}</span>
          </ListBoxItem>
        )}
      </ListBox>
      <span className={layout.space} />
      <div className={layout.other}>
        <h2>{otherTitle}</h2>
        <EntitySearch label="Another entity" placeholder="Name or type" suggests={false} onChoose={select} />
      </div>
    </div>
  );
}
