import { type ReactNode, useEffect, useRef } from 'react';
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components';
import styles from './tabs.module.css';

interface TabEntry<T extends string> {
  readonly id: T;
  readonly title: string;
  /** The number of items. */
  readonly count?: number;
}

interface Props<T extends string> {
  readonly label: string;
  readonly tabs: readonly TabEntry<T>[];
  readonly chosen: T;
  readonly onChoose: (id: T) => void;
  /** The content of the selected tab. */
  readonly children: ReactNode;
}

/** Several pages in one place. Arrow keys go from tab to tab. */
export function Tabs<T extends string>({ label, tabs, chosen, onChoose, children }: Props<T>) {
  const list = useRef<HTMLDivElement>(null);
  const counts = tabs.map(({ count }) => count).join(' ');
  // In a narrow window the tab list scrolls: keep the selected tab visible, also when counts arrive.
  useEffect(() => {
    const box = list.current;
    if (box === null) return;
    const observer = new ResizeObserver(() =>
      box.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    );
    for (const element of [box, ...box.children]) observer.observe(element);
    return () => observer.disconnect();
  }, [chosen, counts]);
  return (
    <AriaTabs className={styles.tabs} selectedKey={chosen} onSelectionChange={(key) => onChoose(String(key) as T)}>
      <TabList ref={list} className={styles.list} aria-label={label}>
        {tabs.map(({ id, title, count }) => (
          <Tab key={id} id={id} className={styles.tab}>
            {title}
            {count !== undefined && <span className={styles.count}>{count.toLocaleString('en')}</span>}
          </Tab>
        ))}
      </TabList>
      <TabPanel key={chosen} id={chosen} className={styles.panel}>
        {children}
      </TabPanel>
    </AriaTabs>
  );
}
