import { ListBox, ListBoxItem, ListLayout, Virtualizer } from 'react-aria-components';
import type { ShownGraph } from './model.ts';
import styles from './node-list.module.css';
import type { Paint } from './paint.ts';

interface Props {
  readonly graph: ShownGraph;
  readonly paint: Paint;
  readonly selected: string | undefined;
  readonly onSelect: (name: string | undefined) => void;
  readonly onOpen: (name: string) => void;
}

const ROW_HEIGHT = 28;

/** The drawn entities as a list: the same by keyboard and for screen readers. Enter shows an entity's neighbours. */
export function NodeList({ graph, paint, selected, onSelect, onOpen }: Props) {
  const nodes = [...graph.nodes].sort((a, b) => (a.name < b.name ? -1 : 1));
  return (
    <div className={styles.panel}>
      <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight: ROW_HEIGHT }}>
        <ListBox
          className={styles.list}
          aria-label="Drawn entities"
          items={nodes.map((node) => ({ ...node, id: node.name }))}
          selectionMode="single"
          selectionBehavior="replace"
          selectedKeys={selected === undefined ? [] : [selected]}
          onSelectionChange={(keys) => {
            if (keys !== 'all') onSelect([...keys].map(String)[0]);
          }}
          onAction={(key) => onOpen(String(key))}
        >
          {(node) => (
            <ListBoxItem id={node.name} textValue={node.name} className={styles.row}>
              <span className={styles.dot} style={{ background: paint.colorOf(node) }} aria-hidden />
              <span className={styles.name}>{node.name}</span>
              {node.unshown > 0 && (
                <span className={styles.more} aria-label={`${node.unshown} relations not shown`}>
                  +{node.unshown}
                </span>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Virtualizer>
    </div>
  );
}
