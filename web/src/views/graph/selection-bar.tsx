import { Crosshair, EyeOff, Pin, UnfoldHorizontal } from 'lucide-react';
import { useState } from 'react';
import { Toolbar as AriaToolbar } from 'react-aria-components';
import type { Selection } from '../../app/route.ts';
import { IconButton } from '../../components/button.tsx';
import styles from './selection-bar.module.css';
import type { GraphRenderer } from './renderer.ts';

interface Props {
  readonly record: Selection;
  readonly name: string;
  readonly isOpen: boolean;
  readonly renderer: GraphRenderer | undefined;
  readonly onOpen: () => void;
  readonly onHide: () => void;
  readonly onFocus: () => void;
}

/** Actions on the selected node. */
export function SelectionBar({ record, name, isOpen, renderer, onOpen, onHide, onFocus }: Props) {
  const [isPinned, setPinned] = useState(renderer?.isPinned(record) ?? false);
  return (
    <AriaToolbar className={styles.bar} aria-label={`${name} in the graph`}>
      <span className={styles.name} dir="auto">
        {name}
      </span>
      <IconButton
        icon={UnfoldHorizontal}
        label={isOpen ? 'Collapse neighbours' : 'Expand neighbours'}
        isOn={isOpen}
        onPress={onOpen}
      />
      <IconButton icon={Crosshair} label="Focus on it" onPress={onFocus} />
      <IconButton
        icon={Pin}
        label={isPinned ? 'Unlock position' : 'Lock position'}
        isOn={isPinned}
        onPress={() => setPinned(renderer?.togglePin(record) ?? false)}
      />
      <IconButton icon={EyeOff} label="Hide from graph" onPress={onHide} />
    </AriaToolbar>
  );
}
