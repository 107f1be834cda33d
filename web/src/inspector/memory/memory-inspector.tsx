import { JsonTree } from '../../components/json-tree.tsx';
import { Problem } from '../../components/problem.tsx';
import { useTool } from '../../source/use-tool.ts';
import { Section } from '../section.tsx';
import { Code } from './code.tsx';
import { ConfidenceSection } from './confidence.tsx';
import { MemoryFields } from './memory-fields.tsx';
import { Head } from './head.tsx';
import { History } from './history.tsx';
import { Links } from './links.tsx';
import styles from './memory-inspector.module.css';
import { Mentions } from './mentions.tsx';
import { UsageAndLog } from './usage-and-log.tsx';
import { Validity } from './validity.tsx';

/** The inspector of a memory. */
export function MemoryInspector({ id }: { readonly id: string }) {
  const { data, error, reload } = useTool('explore_memory', { id });
  const problem = error !== undefined && <Problem problem={error} onRetry={reload} />;
  if (problem !== false && (data === undefined || error?.code === 'memory_not_found')) return problem;
  if (data === undefined || data.memory.id !== id) return <div className={styles.loading} aria-busy="true" />;
  const { memory, history, links, entities, symbols } = data;
  return (
    <div>
      {problem}
      <Head memory={memory} />
      <MemoryFields data={data} />
      <Validity memory={memory} links={links} />
      <ConfidenceSection data={data} />
      <Links id={id} links={links} omitted={data.omitted?.links} />
      <Mentions entities={entities} omitted={data.omitted?.entities} />
      <Code links={symbols} />
      {history.length > 0 && <History history={history} omitted={data.omitted?.history} />}
      <UsageAndLog data={data} />
      {memory.metadata !== undefined && (
        <Section title="Metadata">
          <div className={styles.metadata}>
            <JsonTree value={memory.metadata} />
          </div>
        </Section>
      )}
    </div>
  );
}
