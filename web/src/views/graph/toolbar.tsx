import { Download, List, Maximize, RefreshCw, ZoomIn, ZoomOut } from 'lucide-react';
import { Menu, MenuItem, MenuTrigger, Popover, Toolbar as AriaToolbar } from 'react-aria-components';
import { IconButton } from '../../components/button.tsx';
import { counted } from '../../components/format.ts';
import { savePng, saveSvg } from './export.ts';
import { Filters } from './filters.tsx';
import type { Stage } from './renderer.ts';
import popovers from '../../components/popover.module.css';
import styles from './toolbar.module.css';
import type { Output } from '../../source/tools.ts';
import { nodesText } from './model.ts';
import type { GraphState } from './use-graph.ts';
import type { Wish } from './graph-url-state.ts';

interface Props {
  readonly wish: Wish;
  readonly state: GraphState;
  readonly stats: Output<'explore_stats'> | undefined;
  readonly stage: Stage | undefined;
  readonly isSettled: boolean;
  readonly showsList: boolean;
  readonly onChange: (change: Partial<Wish>) => void;
  readonly onToggleList: () => void;
}

export function Toolbar({ wish, state, stats, stage, isSettled, showsList, onChange, onToggleList }: Props) {
  const camera = stage?.sigma.getCamera();
  const { nodes, edges } = state.graph;
  const fit = (): void => {
    stage?.sigma.setCustomBBox(null);
    void camera?.animatedReset();
  };
  return (
    <AriaToolbar className={styles.toolbar} aria-label="Graph">
      <IconButton icon={List} label="List of what is drawn" isOn={showsList} onPress={onToggleList} />
      <Filters wish={wish} stats={stats} graph={state.graph} onChange={onChange} />
      <span className={styles.counts} role="status">
        {nodesText(state.graph)}, {counted(edges.length, 'link')}
        {state.omitted > 0 && <span className={styles.omitted}>{state.omitted.toLocaleString('en')} more fit</span>}
        {!isSettled && <span className={styles.moving}>arranging…</span>}
      </span>
      <IconButton icon={RefreshCw} label="Arrange anew" onPress={() => stage?.arrange()} />
      <IconButton icon={ZoomIn} label="Closer" onPress={() => void camera?.animatedZoom()} />
      <IconButton icon={ZoomOut} label="Farther" onPress={() => void camera?.animatedUnzoom()} />
      <IconButton icon={Maximize} label="All in sight" onPress={fit} />
      <MenuTrigger>
        <IconButton icon={Download} label="Save the picture" isDisabled={stage === undefined || nodes.length === 0} />
        <Popover className={`${popovers.popover} ${styles.popover}`} placement="bottom end">
          <Menu
            className={styles.menu}
            onAction={(key) => {
              if (stage === undefined) return;
              if (key === 'png') void savePng(stage);
              else saveSvg(stage);
            }}
          >
            <MenuItem id="png" className={styles.item}>
              Save as PNG
            </MenuItem>
            <MenuItem id="svg" className={styles.item}>
              Save as SVG
            </MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
    </AriaToolbar>
  );
}
