import { ArrowRightLeft, GripVertical } from 'lucide-react';
import { useState } from 'react';
import {
  Button,
  GridList,
  GridListItem,
  isTextDropItem,
  Menu,
  MenuItem,
  MenuTrigger,
  Popover,
  type Selection,
  useDragAndDrop,
} from 'react-aria-components';
import { IconButton } from '../../../components/button.tsx';
import { useCanEdit } from '../../../source/source-context.tsx';
import type { Fact } from './draft.ts';
import popovers from '../../../components/popover.module.css';
import styles from './fact-list.module.css';

export interface MoveTarget {
  readonly key: string;
  readonly title: string;
}

interface Props {
  readonly label: string;
  readonly facts: readonly Fact[];
  /** Targets that observations can be moved to. */
  readonly targets: readonly MoveTarget[];
  readonly onMove: (ids: ReadonlySet<number>, to: string) => void;
  /** Called when observations of another list are dropped here. */
  readonly onTake: (ids: ReadonlySet<number>) => void;
}

const FACT = 'application/x-limbic-fact';

/** Observations of a part. */
export function FactList(props: Props) {
  if (useCanEdit()) return <MovableFacts {...props} />;
  return (
    <ul className={styles.list} aria-label={props.label}>
      {props.facts.map(({ id, content }) => (
        <li key={id} className={styles.fact}>
          <span className={styles.text}>{content}</span>
        </li>
      ))}
    </ul>
  );
}

/** Observations can be dragged to another part, also by keyboard, or moved with a menu; selected ones move together. */
function MovableFacts({ label, facts, targets, onMove, onTake }: Props) {
  const [marked, setMarked] = useState<Selection>(new Set());
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ [FACT]: String(key) })),
    acceptedDragTypes: [FACT],
    getDropOperation: () => 'move',
    onRootDrop: ({ items }) => {
      void Promise.all(items.filter(isTextDropItem).map((item) => item.getText(FACT))).then((ids) =>
        onTake(new Set(ids.map(Number))),
      );
    },
  });
  const together = (id: number): ReadonlySet<number> => {
    const ids =
      marked === 'all'
        ? facts.map((fact) => fact.id)
        : [...marked].map(Number).filter((other) => facts.some((fact) => fact.id === other));
    return ids.includes(id) ? new Set(ids) : new Set([id]);
  };
  return (
    <GridList
      className={styles.list}
      aria-label={label}
      items={facts}
      selectionMode="multiple"
      selectionBehavior="toggle"
      selectedKeys={marked}
      onSelectionChange={setMarked}
      dragAndDropHooks={dragAndDropHooks}
      dependencies={[targets, marked]}
      renderEmptyState={() => <p className={styles.none}>Drop observations here</p>}
    >
      {({ id, content }) => (
        <GridListItem id={id} textValue={content} className={styles.fact}>
          <Button slot="drag" className={styles.drag} aria-label={`Drag ${content}`}>
            <GripVertical size={14} aria-hidden />
          </Button>
          <span className={styles.text}>{content}</span>
          <MenuTrigger>
            <IconButton
              icon={ArrowRightLeft}
              label={together(id).size > 1 ? `Move ${together(id).size} to…` : 'Move to…'}
              isDisabled={targets.length === 0}
            />
            <Popover className={`${popovers.popover} ${styles.popover}`} placement="bottom end">
              <Menu className={popovers.menu} items={targets} onAction={(key) => onMove(together(id), String(key))}>
                {({ key, title }) => (
                  <MenuItem id={key} textValue={title} className={`${popovers.entry} ${styles.place}`}>
                    {title}
                  </MenuItem>
                )}
              </Menu>
            </Popover>
          </MenuTrigger>
        </GridListItem>
      )}
    </GridList>
  );
}
