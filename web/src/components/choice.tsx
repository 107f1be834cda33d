import { ChevronDown } from 'lucide-react';
import {
  Button,
  type Key,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select,
  SelectValue,
  Text,
} from 'react-aria-components';
import popovers from './popover.module.css';
import styles from './choice.module.css';

export interface ChoiceOption {
  readonly id: string;
  readonly title: string;
  /** The number of items. */
  readonly count?: number;
}

interface Props {
  readonly label: string;
  /** The title of the empty choice; without it, a choice is required. */
  readonly any?: string;
  readonly options: readonly ChoiceOption[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

/** A select with a popover list. */
export function Choice({ label, any, options, chosen, onChoose }: Props) {
  const shown = [...withChosen(options, chosen).map((option) => ({ ...option, key: keyOf(option.id) }))];
  const title = shown.find(({ id }) => id === chosen)?.title ?? any ?? '';
  const choose = (key: Key | null): void => onChoose(key === null || key === ANY ? undefined : String(key).slice(1));
  return (
    <Select
      className={`${styles.choice} ${chosen !== undefined && any !== undefined ? styles.on : ''}`}
      value={chosen === undefined ? ANY : keyOf(chosen)}
      onChange={choose}
    >
      <Label className={styles.label}>{label}</Label>
      <Button className={styles.button}>
        <SelectValue className={styles.title} dir="auto">
          {title}
        </SelectValue>
        <ChevronDown size={13} aria-hidden />
      </Button>
      <Popover className={`${popovers.popover} ${styles.popover}`}>
        <ListBox className={styles.list}>
          {any !== undefined && (
            <ListBoxItem id={ANY} textValue={any} className={`${popovers.entry} ${styles.item}`}>
              <Text slot="label" className={styles.name}>
                {any}
              </Text>
            </ListBoxItem>
          )}
          {shown.map(({ key, title: name, count }) => (
            <ListBoxItem key={key} id={key} textValue={name} className={`${popovers.entry} ${styles.item}`}>
              <Text slot="label" className={styles.name} dir="auto">
                {name}
              </Text>
              {count !== undefined && <span className={styles.count}>{count.toLocaleString('en')}</span>}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}

const ANY = 'any';

/** An id may be any text; the prefix distinguishes it from `ANY`. */
function keyOf(id: string): string {
  return `=${id}`;
}

/** Adds the chosen option if it is not in the list, such as an unknown one of the address. */
function withChosen(options: readonly ChoiceOption[], chosen: string | undefined): readonly ChoiceOption[] {
  const isKnown = chosen === undefined || options.some(({ id }) => id === chosen);
  return isKnown ? options : [...options, { id: chosen, title: chosen }];
}
