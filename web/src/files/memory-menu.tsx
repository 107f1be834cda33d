import { BookOpen, FileDown, FileUp, HardDrive, Redo2, Sprout, Undo2 } from 'lucide-react';
import { use } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover, Text } from 'react-aria-components';
import { SourceContext, useStore } from '../source/source-context.tsx';
import type { Source } from '../source/source.ts';
import { startTour } from '../tour/tour.ts';
import popovers from '../components/popover.module.css';
import styles from './files.module.css';
import { pickFiles } from './pick-files.ts';
import { confirmLoadSample } from './sample.ts';
import { exportDatabase, importFiles, importHistory, LABELS, confirmSwitchState } from './transfer.ts';
import type { Direction } from './undo-history.ts';

type Action = 'import' | Direction | 'export' | 'sample' | 'tour';

const ACTIONS: readonly {
  readonly id: Action;
  readonly title: string;
  readonly icon: typeof FileUp;
  readonly imports?: boolean;
}[] = [
  { id: 'import', title: 'Import files…', icon: FileUp, imports: true },
  { id: 'export', title: 'Export database', icon: FileDown },
  { id: 'sample', title: 'Load sample memory', icon: Sprout, imports: true },
  { id: 'tour', title: 'Guided tour', icon: BookOpen },
];

interface Props {
  readonly className: string | undefined;
  readonly labelClassName: string | undefined;
}

/** Actions on the whole memory. */
export function MemoryMenu({ className, labelClassName }: Props) {
  const source = use(SourceContext);
  const history = useStore(importHistory);
  const back = (['undo', 'redo'] as const).flatMap((direction) => {
    const state = history[direction].at(-1);
    const title = `${LABELS[direction]} import of ${state?.name ?? ''}…`;
    return state === undefined ? [] : [{ id: direction, title, icon: direction === 'undo' ? Undo2 : Redo2 }];
  });
  const offered = [...ACTIONS.filter(({ imports }) => imports !== true || source?.importFile !== undefined), ...back];
  return (
    <MenuTrigger>
      <Button className={className} isDisabled={source === undefined} aria-label="Memory: import, export, sample, tour">
        <HardDrive size={15} aria-hidden />
        <span className={labelClassName}>Memory…</span>
      </Button>
      <Popover className={`${popovers.popover} ${styles.popover}`} placement="top start">
        <Menu
          className={popovers.menu}
          onAction={(key) => (source === undefined ? undefined : void act(key as Action, source))}
        >
          {offered.map(({ id, title, icon: Icon }) => (
            <MenuItem
              key={id}
              id={id}
              textValue={title}
              className={`${popovers.entry} ${popovers.item} ${styles.item}`}
            >
              <Icon size={14} aria-hidden />
              <Text slot="label">{title}</Text>
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

async function act(action: Action, source: Source): Promise<void> {
  switch (action) {
    case 'import':
      return importFiles(source, await pickFiles());
    case 'undo':
    case 'redo':
      return confirmSwitchState(source, action);
    case 'export':
      return exportDatabase(source);
    case 'sample':
      return confirmLoadSample(source);
    case 'tour':
      return startTour(source);
  }
}
