import { ListBox, ListBoxItem, ListLayout, Virtualizer } from 'react-aria-components';
import type { Selection } from '../../app/route.ts';
import { useByKeys } from '../../components/use-by-keys.ts';
import type { ShownGraph } from './model.ts';
import styles from './node-list.module.css';
import type { Paint } from './paint.ts';

interface Props {
  readonly graph: ShownGraph;
  readonly paint: Paint;
  readonly selected: Selection | undefined;
  /** `isByKeys` for a step with an arrow key, which needs no history entry. */
  readonly onSelect: (record: Selection | undefined, isByKeys: boolean) => void;
  readonly onOpen: (record: Selection) => void;
}

const ROW_HEIGHT = 28;

/** The nodes as a list, for the keyboard and screen readers. Enter expands a node. */
export function NodeList({ graph, paint, selected, onSelect, onOpen }: Props) {
  const { isByKeys, props } = useByKeys();
  const nodes = [...graph.nodes].sort((a, b) => (a.name < b.name ? -1 : 1));
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const recordOf = (key: unknown): Selection | undefined => {
    const node = byKey.get(String(key));
    return node === undefined ? undefined : { kind: node.kind, id: node.id };
  };
  const chosen = nodes.find(({ kind, id }) => kind === selected?.kind && id === selected.id);
  return (
    <div className={styles.panel} {...props}>
      <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight: ROW_HEIGHT }}>
        <ListBox
          className={styles.list}
          aria-label="Nodes"
          items={nodes.map((node) => ({ id: node.key, node }))}
          selectionMode="single"
          selectionBehavior="replace"
          selectedKeys={chosen === undefined ? [] : [chosen.key]}
          onSelectionChange={(keys) => {
            if (keys !== 'all') onSelect(recordOf([...keys][0]), isByKeys());
          }}
          onAction={(key) => {
            const record = recordOf(key);
            if (record !== undefined) onOpen(record);
          }}
        >
          {({ node }) => (
            <ListBoxItem id={node.key} textValue={node.name} className={styles.row}>
              <span
                className={styles.dot}
                data-kind={node.kind}
                style={{ background: paint.colorOf(node) }}
                aria-hidden
              />
              <span className={styles.name} dir="auto">
                {node.name}
              </span>
              {node.unshown > 0 && (
                <span
                  className={styles.more}
                  aria-label={`${node.unshown} ${node.kind === 'memory' ? 'links' : 'relations'} not shown`}
                >
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
