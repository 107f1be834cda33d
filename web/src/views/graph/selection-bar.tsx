import { Crosshair, EyeOff, Pin, UnfoldHorizontal } from 'lucide-react';
import { useState } from 'react';
import { Toolbar as AriaToolbar } from 'react-aria-components';
import type { Selection } from '../../app/route.ts';
import { IconButton } from '../../components/button.tsx';
import styles from './selection-bar.module.css';
import type { Stage } from './renderer.ts';

interface Props {
  readonly record: Selection;
  readonly name: string;
  readonly isOpen: boolean;
  readonly stage: Stage | undefined;
  readonly onOpen: () => void;
  readonly onHide: () => void;
  readonly onFocus: () => void;
}

/** What can be done with the selected record in the graph. */
export function SelectionBar({ record, name, isOpen, stage, onOpen, onHide, onFocus }: Props) {
  const [isPinned, setPinned] = useState(stage?.isPinned(record) ?? false);
  return (
    <AriaToolbar className={styles.bar} aria-label={`${name} in the graph`}>
      <span className={styles.name}>{name}</span>
      <IconButton
        icon={UnfoldHorizontal}
        label={isOpen ? 'Fold its neighbours' : 'Show its neighbours'}
        isOn={isOpen}
        onPress={onOpen}
      />
      <IconButton icon={Crosshair} label="Only its surroundings" onPress={onFocus} />
      <IconButton
        icon={Pin}
        label={isPinned ? 'Let it move' : 'Keep it where it is'}
        isOn={isPinned}
        onPress={() => setPinned(stage?.togglePin(record) ?? false)}
      />
      <IconButton icon={EyeOff} label="Hide it" onPress={onHide} />
    </AriaToolbar>
  );
}
