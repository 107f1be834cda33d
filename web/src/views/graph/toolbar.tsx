import { Download, List, Maximize, RefreshCw, ZoomIn, ZoomOut } from 'lucide-react';
import { Menu, MenuItem, MenuTrigger, Popover, Toolbar as AriaToolbar } from 'react-aria-components';
import { IconButton } from '../../components/button.tsx';
import { counted } from '../../components/format.ts';
import { savePng, saveSvg } from './export.ts';
import { Filters } from './filters.tsx';
import type { GraphRenderer } from './renderer.ts';
import popovers from '../../components/popover.module.css';
import styles from './toolbar.module.css';
import type { Output } from '../../source/tools.ts';
import { nodesText } from './model.ts';
import type { GraphState } from './use-graph.ts';
import type { GraphUrlState } from './graph-url-state.ts';

interface Props {
  readonly urlState: GraphUrlState;
  readonly state: GraphState;
  readonly stats: Output<'explore_stats'> | undefined;
  readonly renderer: GraphRenderer | undefined;
  readonly isSettled: boolean;
  readonly showsList: boolean;
  readonly onChange: (change: Partial<GraphUrlState>) => void;
  readonly onToggleList: () => void;
}

export function Toolbar({ urlState, state, stats, renderer, isSettled, showsList, onChange, onToggleList }: Props) {
  const camera = renderer?.sigma.getCamera();
  const { nodes, edges } = state.graph;
  const fit = (): void => {
    renderer?.sigma.setCustomBBox(null);
    void camera?.animatedReset();
  };
  return (
    <AriaToolbar className={styles.toolbar} aria-label="Graph">
      <IconButton icon={List} label="List nodes" isOn={showsList} onPress={onToggleList} />
      <Filters urlState={urlState} stats={stats} graph={state.graph} onChange={onChange} />
      <span className={styles.counts} role="status">
        {nodesText(state.graph)}, {counted(edges.length, 'link')}
        {state.omitted > 0 && <span className={styles.omitted}>{state.omitted.toLocaleString('en')} more match</span>}
        {!isSettled && <span className={styles.moving}>running layout…</span>}
      </span>
      <IconButton icon={RefreshCw} label="Rerun layout" onPress={() => renderer?.arrange()} />
      <IconButton icon={ZoomIn} label="Zoom in" onPress={() => void camera?.animatedZoom()} />
      <IconButton icon={ZoomOut} label="Zoom out" onPress={() => void camera?.animatedUnzoom()} />
      <IconButton icon={Maximize} label="Fit to view" onPress={fit} />
      <MenuTrigger>
        <IconButton icon={Download} label="Export picture" isDisabled={renderer === undefined || nodes.length === 0} />
        <Popover className={`${popovers.popover} ${styles.popover}`} placement="bottom end">
          <Menu
            className={styles.menu}
            onAction={(key) => {
              if (renderer === undefined) return;
              if (key === 'png') void savePng(renderer);
              else saveSvg(renderer);
            }}
          >
            <MenuItem id="png" className={styles.item}>
              Export as PNG
            </MenuItem>
            <MenuItem id="svg" className={styles.item}>
              Export as SVG
            </MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
    </AriaToolbar>
  );
}
