import { Wrench } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Input, ListBox, ListBoxItem, SearchField } from 'react-aria-components';
import { useRoute } from '../../app/use-route.ts';
import fields from '../../components/field.module.css';
import { Empty } from '../../components/empty.tsx';
import { Problem } from '../../components/problem.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useSource, useStore } from '../../source/source-context.tsx';
import type { Tool, ToolError } from '../../source/tools.ts';
import { LogView } from './log-view.tsx';
import { ToolForm } from './tool-form.tsx';
import styles from './tools-view.module.css';

type Tab = 'tools' | 'log';

/** All tools with forms, and the call log. */
export function ToolsView() {
  const source = useSource();
  const { route, adjust } = useRoute();
  const calls = useStore(source.log.calls);
  const { tools, error, reload } = useTools();
  const tab: Tab = route.params['tab'] === 'log' ? 'log' : 'tools';
  const chosen = tools?.find(({ name }) => name === route.params['tool']) ?? tools?.[0];
  const choices = [
    { id: 'tools' as const, title: 'Tools', count: tools?.length },
    { id: 'log' as const, title: 'Log', count: calls.length },
  ];
  return (
    <div className={styles.view}>
      <Tabs
        label="Tools and calls"
        tabs={choices}
        chosen={tab}
        onChoose={(id) => adjust({ params: { tab: id === 'log' ? 'log' : undefined } })}
      >
        {tab === 'log' && <LogView />}
        {tab === 'tools' && error !== undefined && <Problem problem={error} onRetry={reload} />}
        {tab === 'tools' && tools?.length === 0 && (
          <Empty icon={Wrench} title="No tools">
            <p>The server was started without any toolset.</p>
          </Empty>
        )}
        {tab === 'tools' && tools !== undefined && chosen !== undefined && (
          <div className={styles.work}>
            <ToolList tools={tools} chosen={chosen.name} onChoose={(tool) => adjust({ params: { tool } })} />
            <ToolForm key={chosen.name} tool={chosen} />
          </div>
        )}
      </Tabs>
    </div>
  );
}

interface ListProps {
  readonly tools: readonly Tool[];
  readonly chosen: string;
  readonly onChoose: (name: string) => void;
}

/** The tools as a list, or on a narrow page as a select. */
function ToolList({ tools, chosen, onChoose }: ListProps) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = tools.filter(({ name, title }) => `${name} ${title ?? ''}`.toLowerCase().includes(wanted));
  return (
    <>
      <div className={styles.side}>
        <SearchField className={styles.filter} aria-label="Filter tools" value={text} onChange={setText}>
          <Input className={fields.input} placeholder="Filter" />
        </SearchField>
        <ListBox
          className={styles.list}
          aria-label="Tools"
          items={shown.map((tool) => ({ ...tool, id: tool.name }))}
          selectionMode="single"
          selectionBehavior="replace"
          disallowEmptySelection
          selectedKeys={[chosen]}
          onSelectionChange={(keys) => {
            const [key] = [...keys];
            if (key !== undefined) onChoose(String(key));
          }}
          renderEmptyState={() => <p className={styles.none}>No matching tools</p>}
        >
          {(tool) => (
            <ListBoxItem id={tool.name} textValue={tool.name} className={styles.tool}>
              <span>{tool.title ?? tool.name}</span>
              <span className={styles.id}>{tool.name}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </div>
      <label className={styles.narrow}>
        <span>Tool</span>
        <select className={fields.input} value={chosen} onChange={(event) => onChoose(event.target.value)}>
          {tools.map(({ name, title }) => (
            <option key={name} value={name}>
              {title ?? name}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

interface Listed {
  readonly tools?: readonly Tool[];
  readonly error?: ToolError;
}

/** The tools that the source offers. */
function useTools(): Listed & { readonly reload: () => void } {
  const source = useSource();
  const { connection } = useStore(source.status);
  const [asked, setAsked] = useState(0);
  const [listed, setListed] = useState<Listed>({});
  useEffect(() => {
    let isCurrent = true;
    source.tools().then(
      (tools) => (isCurrent ? setListed({ tools }) : undefined),
      (error: unknown) =>
        isCurrent
          ? setListed({
              error: { error: error instanceof Error ? error.message : String(error), code: 'tools_unknown' },
            })
          : undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [source, asked, connection]);
  return { ...listed, reload: () => setAsked((count) => count + 1) };
}
